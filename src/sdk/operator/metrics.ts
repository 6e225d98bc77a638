import { OperatorError } from './operator-error.ts'

/** Values of the labels of a metric. */
export type Labels = Readonly<Record<string, string>>

/** What all metrics have. */
export interface MetricConfig {
  /** `gadgets_made_total` */
  readonly name: string
  readonly help: string
}

/** Only grows. */
export interface Counter {
  /** Adds 1, or `by`. */
  inc(labels?: Labels, by?: number): void
}

/** Goes up and down. */
export interface Gauge {
  set(value: number, labels?: Labels): void
  add(by: number, labels?: Labels): void
}

/** Counts values by their size. */
export interface Histogram {
  observe(value: number, labels?: Labels): void
}

/** A program's metrics, in memory; text at a scrape. */
export interface MetricsRegistry {
  counter(config: MetricConfig): Counter
  gauge(config: MetricConfig): Gauge
  /** `buckets`: upper bounds, ascending; the bucket without a bound is added. */
  histogram(config: MetricConfig & { readonly buckets: readonly number[] }): Histogram
  /** Called before each scrape: for values that are looked up. */
  beforeScrape(look: () => void): void
  /** Prometheus' text format, version 0.0.4. */
  text(): string
}

interface Metric {
  readonly lines: () => string[]
}

/** A label with unbounded values must not fill the memory. */
const MOST_SERIES = 10_000

/**
 * Metrics for Prometheus.
 *
 * ```ts
 * const registry = createMetricsRegistry()
 * const made = registry.counter({ name: 'gadgets_made_total', help: 'Gadgets made.' })
 * made.inc({ color: 'red' })
 * registry.text()
 * ```
 */
export function createMetricsRegistry(): MetricsRegistry {
  const metrics = new Map<string, Metric>()
  const looks: (() => void)[] = []
  const add = (type: string, { name, help }: MetricConfig, lines: () => string[]) => {
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new OperatorError('bad-definition', `${name} is no name for a metric`)
    if (metrics.has(name)) throw new OperatorError('bad-definition', `there is a metric ${name} already`)
    const head = [`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`]
    metrics.set(name, { lines: () => [...head, ...lines()] })
  }
  const simple = (type: string, config: MetricConfig) => {
    const series = new Series<{ value: number }>(() => ({ value: 0 }))
    add(type, config, () => series.all().map(([labels, { value }]) => `${config.name}${braced(labels)} ${numberText(value)}`))
    return series
  }
  return {
    counter(config) {
      const series = simple('counter', config)
      return {
        inc(labels = {}, by = 1) {
          if (by >= 0) series.of(labels).value += by
        },
      }
    },
    gauge(config) {
      const series = simple('gauge', config)
      return {
        set(value, labels = {}) {
          series.of(labels).value = value
        },
        add(by, labels = {}) {
          series.of(labels).value += by
        },
      }
    },
    histogram({ buckets, ...config }) {
      const series = new Series(() => ({ counts: new Array<number>(buckets.length + 1).fill(0), sum: 0 }))
      add('histogram', config, () => series.all().flatMap(([labels, one]) => histogramLines(config.name, labels, buckets, one)))
      return {
        observe(value, labels = {}) {
          const one = series.of(labels)
          const found = buckets.findIndex((bound) => value <= bound)
          const at = found === -1 ? buckets.length : found
          one.counts[at] = (one.counts[at] ?? 0) + 1
          one.sum += value
        },
      }
    },
    beforeScrape: (look) => void looks.push(look),
    text() {
      for (const look of looks) look()
      return `${[...metrics.values()].flatMap((m) => m.lines()).join('\n')}\n`
    },
  }
}

function histogramLines(
  name: string,
  labels: string,
  buckets: readonly number[],
  one: { counts: readonly number[]; sum: number },
): string[] {
  const bounds = [...buckets.map(numberText), '+Inf']
  let total = 0
  const lines = bounds.map((bound, i) => {
    total += one.counts[i] ?? 0
    return `${name}_bucket${braced([labels, `le="${bound}"`].filter((l) => l !== '').join(','))} ${total}`
  })
  return [...lines, `${name}_sum${braced(labels)} ${numberText(one.sum)}`, `${name}_count${braced(labels)} ${total}`]
}

/** One value a set of labels. */
class Series<V> {
  readonly #values = new Map<string, V>()
  readonly #make: () => V

  constructor(make: () => V) {
    this.#make = make
  }

  of(labels: Labels): V {
    const key = labelText(labels)
    const found = this.#values.get(key)
    if (found !== undefined) return found
    const fresh = this.#make()
    if (this.#values.size < MOST_SERIES) this.#values.set(key, fresh)
    return fresh
  }

  all(): [string, V][] {
    return [...this.#values]
  }
}

function labelText(labels: Labels): string {
  const names = Object.keys(labels).sort()
  return names.map((n) => `${n}="${escaped(labels[n] ?? '')}"`).join(',')
}

const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
const braced = (labels: string) => (labels === '' ? '' : `{${labels}}`)
const numberText = (value: number) => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))
