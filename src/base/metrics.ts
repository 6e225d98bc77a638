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

export interface HistogramInit extends MetricInit {
  /** The upper bounds of its buckets, ascending. */
  readonly bounds: readonly number[]
}

/** The most series of one family; further ones are counted with `other` for each label, so that memory stays bounded. */
export const MOST_SERIES = 1000

const helpOf = ({ help, stability = 'ALPHA' }: MetricInit) => `[${stability}] ${help}`

interface Series<T> {
  /** Its labels, as they are shown. */
  readonly text: string
  value: T
}

/** A set of label values is a path: for a joined key, each count would make and hash a text. */
interface Branch<T> {
  next?: Map<string, Branch<T>>
  series?: Series<T>
}

/** One value for each set of label values. */
class SeriesMap<T> {
  readonly #names: readonly string[]
  readonly #make: () => T
  readonly #root: Branch<T> = {}
  readonly #all: Series<T>[] = []

  constructor({ labels: names = [] }: MetricInit, make: () => T) {
    this.#names = names
    this.#make = make
    if (names.length === 0) this.of([])
  }

  of(values: readonly string[]): { value: T } {
    let found: Branch<T> | undefined = this.#root
    for (const value of values) found = found?.next?.get(value)
    return found?.series ?? this.#open(this.#all.length < MOST_SERIES ? values : this.#names.map(() => 'other'))
  }

  #open(values: readonly string[]): Series<T> {
    let end = this.#root
    for (const value of values) {
      end.next ??= new Map()
      const next = end.next.get(value) ?? {}
      end.next.set(value, next)
      end = next
    }
    if (end.series === undefined) {
      const text = labels(Object.fromEntries(this.#names.map((name, i) => [name, values[i] ?? ''])))
      end.series = { text, value: this.#make() }
      this.#all.push(end.series)
    }
    return end.series
  }

  get samples(): readonly (readonly [string, T])[] {
    return this.#all.map(({ text, value }) => [text, value] as const)
  }
}

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

  constructor(init: HistogramInit) {
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

/** Metrics that are shown together, in the order in which they were declared. */
export class MetricSet {
  readonly #metrics = new Map<string, { readonly family: Family }>()

  counter(init: MetricInit): CounterMetric {
    return this.#declared(init.name, () => new CounterMetric(init))
  }

  histogram(init: HistogramInit): HistogramMetric {
    return this.#declared(init.name, () => new HistogramMetric(init))
  }

  families(): Family[] {
    return [...this.#metrics.values()].map(({ family }) => family)
  }

  /** What is declared again, as by a part that starts again, is the same metric. */
  #declared<M extends { readonly family: Family }>(name: string, make: () => M): M {
    const known = this.#metrics.get(name) ?? make()
    this.#metrics.set(name, known)
    // A name always has the same type.
    return known as M
  }
}

const readOnRequest =
  (type: Family['type']) =>
  (init: MetricInit, samples: Iterable<Sample>): Family => ({ name: init.name, type, help: helpOf(init), samples })

/** A gauge whose values are read on request. */
export const gauge = readOnRequest('gauge')
/** A counter that is kept elsewhere, and read on request. */
export const counter = readOnRequest('counter')
