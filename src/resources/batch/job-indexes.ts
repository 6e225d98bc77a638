import { goQuote } from '../../machinery/field-error.ts'

/** The first and the last index. */
type Interval = readonly [first: number, last: number]

/** The intervals of `1,3-5`, in rising order; a string is the fault. */
export function parseIndexes(text: string, completions: number): readonly Interval[] | string {
  if (text === '') return []
  const intervals: Interval[] = []
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions)
    if (typeof interval === 'string') return interval
    const before = intervals.at(-1)?.[1]
    if (before !== undefined && before >= interval[0]) return `non-increasing order, previous: ${before}, current: ${interval[0]}`
    intervals.push(interval)
  }
  return intervals
}

function parseInterval(part: string, completions: number): Interval | string {
  const limits = part.split('-')
  if (limits.length > 2)
    return `the fragment ${goQuote(part)} violates the requirement that an index interval can have at most two parts separated by '-'`
  const numbers: number[] = []
  for (const limit of limits) {
    if (!/^[+-]?[0-9]+$/.test(limit)) return `cannot convert string to integer for index: ${goQuote(limit)}`
    const number = Number(limit)
    if (number >= completions) return `too large index: ${goQuote(limit)}`
    numbers.push(number)
  }
  const [x = 0, y = x] = numbers
  return limits.length === 2 && x >= y ? `non-increasing order, previous: ${x}, current: ${y}` : [x, y]
}

export const countIndexes = (intervals: readonly Interval[]): number => intervals.reduce((sum, [first, last]) => sum + last - first + 1, 0)

/** The first index that both have. */
export function firstCommon(some: readonly Interval[], others: readonly Interval[]): number | undefined {
  let j = 0
  for (const [first, last] of some) {
    for (let other = others[j]; other !== undefined && other[1] < first; other = others[++j]);
    const other = others[j]
    if (other !== undefined && other[0] <= last) return Math.max(first, other[0])
  }
  return undefined
}
