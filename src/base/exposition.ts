import { byText } from './by-text.ts'
import { atOnce, Pace, type Steps } from './steps.ts'

/** One series: its labels as they are printed (`verb="GET",code="200"`), and its value. */
export type Sample = readonly [labels: string, value: number | Observed]

/** Series of one name. */
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: Iterable<Sample>
}

/** Counted observations, also as JSON. */
export interface Observed {
  readonly bounds: readonly number[]
  /** Not cumulative; the last one counts what exceeds every bound. */
  readonly counts: ArrayLike<number>
  readonly sum: number
}

/** Counts observations by the least bound that holds them. */
export class Histogram implements Observed {
  readonly bounds: readonly number[]
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  /** Counts a value, or the same value several times. */
  observe(value: number, times = 1): void {
    const { bounds, counts } = this
    let at = 0
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++
    counts[at] = (counts[at] ?? 0) + times
    this.sum += value * times
  }

  toJSON(): Observed {
    return { bounds: this.bounds, counts: [...this.counts], sum: this.sum }
  }
}

/** Bounds that begin with the first, each so many times the one before. */
export const exponentialBounds = (first: number, factor: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => first * factor ** i)

/** A label as it is printed. */
export const label = (name: string, value: string): string =>
  `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

/** Labels by their names, in order of the names. */
export const labels = (values: Readonly<Record<string, string>>): string =>
  Object.keys(values)
    .sort()
    .map((name) => label(name, values[name] ?? ''))
    .join(',')

/** Prometheus' text format, families in order of their names. Families without series are left out. */
export const exposition = (families: readonly Family[]): string => atOnce(expositionInSteps(families))

/** The same for many series: thousands of lines a turn. */
export function* expositionInSteps(families: readonly Family[]): Steps<string> {
  const pace = new Pace()
  const parts: string[] = []
  let lines: string[] = []
  for (const family of families.toSorted((a, b) => byText(a.name, b.name))) {
    let isFirst = true
    for (const [text, value] of family.samples) {
      if (isFirst) lines.push(`# HELP ${family.name} ${family.help}`, `# TYPE ${family.name} ${family.type}`)
      isFirst = false
      if (typeof value === 'number') lines.push(`${family.name}${text === '' ? '' : `{${text}}`} ${value}`)
      else histogramLines(family.name, text, value, lines)
      if (!pace.due(typeof value === 'number' ? 1 : value.counts.length)) continue
      parts.push(lines.join('\n'))
      lines = []
      yield
    }
  }
  return `${[...parts, ...lines].join('\n')}\n`
}

function histogramLines(name: string, text: string, { bounds, counts, sum }: Observed, out: string[]): void {
  const before = text === '' ? '' : `${text},`
  let total = 0
  for (const [i, count] of Array.from(counts).entries()) {
    total += count
    out.push(`${name}_bucket{${before}le="${bounds[i] ?? '+Inf'}"} ${total}`)
  }
  const own = text === '' ? '' : `{${text}}`
  out.push(`${name}_sum${own} ${sum}`, `${name}_count${own} ${total}`)
}
