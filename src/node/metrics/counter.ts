import { type Family, Histogram, labels, type Sample } from '../../base/exposition.ts'

/** The name, help text and labels of a metric family. */
export interface MetricInit {
  readonly name: string
  readonly help: string
  /** The names of its labels. Without any there is one series, which exists from the start. */
  readonly labels?: readonly string[]
}

/** The most series of one family; further ones are counted with `other` for each label, so that memory stays bounded. */
export const MOST_SERIES = 1000

/** Kubernetes marks metrics whose names may change as ALPHA. */
const helpOf = (init: MetricInit) => `[ALPHA] ${init.help}`

/** Series by their label values. */
class SeriesMap<T> {
  readonly #init: MetricInit
  readonly #make: () => T
  readonly #byLabels = new Map<string, T>()

  constructor(init: MetricInit, make: () => T) {
    this.#init = init
    this.#make = make
    if (init.labels === undefined) this.#byLabels.set('', make())
  }

  of(values: readonly string[]): [text: string, value: T] {
    const { labels: names = [] } = this.#init
    const text = (of: (i: number) => string) => labels(Object.fromEntries(names.map((name, i) => [name, of(i)])))
    const own = text((i) => values[i] ?? '')
    const key = this.#byLabels.has(own) || this.#byLabels.size < MOST_SERIES ? own : text(() => 'other')
    const known = this.#byLabels.get(key) ?? this.#make()
    this.#byLabels.set(key, known)
    return [key, known]
  }

  set(text: string, value: T): void {
    this.#byLabels.set(text, value)
  }

  entries(): Iterable<readonly [string, T]> {
    return this.#byLabels
  }
}

/** A counter with labels. */
export class Counter {
  readonly #init: MetricInit
  readonly #series: SeriesMap<number>

  constructor(init: MetricInit) {
    this.#init = init
    this.#series = new SeriesMap(init, () => 0)
  }

  /** `by` may be 0: that creates the series. */
  add(values: readonly string[] = [], by = 1): void {
    const [text, before] = this.#series.of(values)
    this.#series.set(text, before + by)
  }

  get family(): Family {
    return { name: this.#init.name, type: 'counter', help: helpOf(this.#init), samples: this.#series.entries() }
  }
}

/** A histogram of durations with labels. */
export class Durations {
  readonly #init: MetricInit
  readonly #series: SeriesMap<Histogram>

  constructor(init: MetricInit & { readonly bounds: readonly number[] }) {
    this.#init = init
    this.#series = new SeriesMap(init, () => new Histogram(init.bounds))
  }

  observe(value: number, values: readonly string[] = []): void {
    this.#series.of(values)[1].observe(value)
  }

  get family(): Family {
    return { name: this.#init.name, type: 'histogram', help: helpOf(this.#init), samples: this.#series.entries() }
  }
}

/** A gauge whose values are computed on request. */
export const gauge = (init: MetricInit, samples: Iterable<Sample>): Family => ({
  name: init.name,
  type: 'gauge',
  help: helpOf(init),
  samples,
})
