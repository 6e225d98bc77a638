import { byKey, byText } from '../../../base/by-text.ts'
import type { Observed } from '../../../base/exposition.ts'

/** A series: its labels, its value, and the time of the measurement if it is exposed. */
export interface Sample {
  /** Of a histogram's series: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
  readonly atMs?: number
}

export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** The stability level of Kubernetes' component-base; absent for other metrics. */
  readonly stability?: 'ALPHA' | 'BETA' | 'STABLE'
  readonly samples: readonly Sample[]
}

/** Prometheus' text format: families and labels sorted by name, families without series left out. */
export function exposition(families: readonly Family[]): string {
  const lines: string[] = []
  for (const { name, type, help, stability, samples } of families.toSorted((a, b) => byText(a.name, b.name))) {
    if (samples.length === 0) continue
    lines.push(`# HELP ${name} ${stability === undefined ? '' : `[${stability}] `}${help}`, `# TYPE ${name} ${type}`)
    for (const { suffix = '', labels = {}, value, atMs } of samples) {
      const pairs = Object.entries(labels)
        .toSorted(byKey)
        .map(([key, text]) => `${key}="${escaped(text)}"`)
      lines.push(
        `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${shown(value)}${atMs === undefined ? '' : ` ${Math.trunc(atMs)}`}`,
      )
    }
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** The series of a histogram. */
export function histogramSamples(labels: Readonly<Record<string, string>>, { bounds, counts, sum }: Observed): Sample[] {
  let total = 0
  const buckets = Array.from(counts, (count, i): Sample => {
    total += count
    return { suffix: '_bucket', labels: { ...labels, le: String(bounds[i] ?? '+Inf') }, value: total }
  })
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: total }]
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** A float in Go's format: exponents have two digits at least, and are used from 21 digits on. */
const shown = (value: number) => String(value).replace(/e([+-])(\d)$/, 'e$10$2')
