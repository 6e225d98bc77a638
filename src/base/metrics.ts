import { type Family, Histogram, labels, type Sample } from './exposition.ts'

/** The name, help text and labels of a metric family. */
export interface MetricInit {
  readonly name: string
  readonly help: string
  /** The names of its labels. Without any there is one series, which exists from the start. */
  readonly labels?: readonly string[]
  /** How Kubernetes marks it: the names of ALPHA metrics may change. Default: ALPHA. */
  readonly stability?: 'ALPHA' | 'BETA' | 'STABLE'
}

/** The most series of one family; further ones are counted with `other` for each label, so that memory stays bounded. */
export const MOST_SERIES = 1000

const helpOf = ({ help, stability = 'ALPHA' }: MetricInit) => `[${stability}] ${help}`

/** One value for each set of label values. */
class SeriesMap<T> {
  readonly #names: readonly string[]
  readonly #make: () => T
  /** By the values of the labels; undefined while there is none. */
  #series: Map<string, { readonly text: string; value: T }> | undefined

  constructor({ labels: names = [] }: MetricInit, make: () => T) {
    this.#names = names
    this.#make = make
    if (names.length === 0) this.of([])
  }

  of(values: readonly string[]): { value: T } {
    const known = this.#series?.get(keyOf(values))
    if (known !== undefined) return known
    const full = this.#series !== undefined && this.#series.size >= MOST_SERIES
    return full ? this.#open(this.#names.map(() => 'other')) : this.#open(values)
  }

  #open(values: readonly string[]): { value: T } {
    const key = keyOf(values)
    const text = labels(Object.fromEntries(this.#names.map((name, i) => [name, values[i] ?? ''])))
    this.#series ??= new Map()
    const one = this.#series.get(key) ?? { text, value: this.#make() }
    this.#series.set(key, one)
    return one
  }

  get samples(): readonly (readonly [string, T])[] {
    return [...(this.#series?.values() ?? [])].map(({ text, value }) => [text, value] as const)
  }
}

const keyOf = (values: readonly string[]): string => (values.length < 2 ? (values[0] ?? '') : values.join('\n'))

/** A counter with labels. */
export class CounterMetric {
  readonly #init: MetricInit
  readonly #series: SeriesMap<number>

  constructor(init: MetricInit) {
    this.#init = init
    this.#series = new SeriesMap(init, () => 0)
  }

  /** `by` may be 0: that creates the series. */
  add(values: readonly string[] = [], by = 1): void {
    this.#series.of(values).value += by
  }

  get family(): Family {
    return { name: this.#init.name, type: 'counter', help: helpOf(this.#init), samples: this.#series.samples }
  }
}

/** A histogram with labels. */
export class HistogramMetric {
  readonly #init: MetricInit
  readonly #series: SeriesMap<Histogram>

  constructor(init: MetricInit & { readonly bounds: readonly number[] }) {
    this.#init = init
    this.#series = new SeriesMap(init, () => new Histogram(init.bounds))
  }

  observe(value: number, values: readonly string[] = []): void {
    this.#series.of(values).value.observe(value)
  }

  get family(): Family {
    return { name: this.#init.name, type: 'histogram', help: helpOf(this.#init), samples: this.#series.samples }
  }
}

/** A gauge whose values are computed on request. */
export const gauge = (init: MetricInit, samples: Iterable<Sample>): Family => ({
  name: init.name,
  type: 'gauge',
  help: helpOf(init),
  samples,
})
