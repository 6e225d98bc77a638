import { child, type FieldError, goQuote, index, invalid, required, tooLong, tooMany } from '../../machinery/field-error.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateNonNegative } from '../checks.ts'
import type { JobSpec, SuccessRule } from './job-types.ts'

const mostRules = 20
const longestIndexes = 64 * 1024

/** Validates the success policy of an indexed Job. */
export function validateSuccessPolicy(spec: JobSpec, path: string): FieldError[] {
  const at = child(path, 'rules')
  const rules = spec.successPolicy?.rules ?? []
  const faults: FieldError[] = []
  if (rules.length === 0) faults.push(required(at, 'at least one rules must be specified when the successPolicy is specified'))
  if (rules.length > mostRules) faults.push(tooMany(at, rules.length, mostRules))
  return [...faults, ...faultsOfEach(rules, (rule, i) => validateRule(rule, spec.completions ?? 0, index(at, i)))]
}

function validateRule(rule: SuccessRule, completions: number, path: string): FieldError[] {
  const { succeededCount: count, succeededIndexes: indexes } = rule
  if (count === undefined && indexes === undefined)
    return [required(path, 'at least one of succeededCount or succeededIndexes must be specified')]
  const faults: FieldError[] = []
  let total = 0
  if (indexes !== undefined) {
    const at = child(path, 'succeededIndexes')
    if (indexes.length > longestIndexes) faults.push(tooLong(at, longestIndexes))
    const parsed = countIndexes(indexes, completions)
    if (typeof parsed === 'string') faults.push(invalid(at, indexes, `error parsing succeededIndexes: ${parsed}`))
    else total = parsed
  }
  if (count === undefined) return faults
  const at = child(path, 'succeededCount')
  faults.push(...validateNonNegative(count, at))
  if (count > completions)
    faults.push(invalid(at, count, `must be less than or equal to ${completions} (the number of specified completions)`))
  if (indexes !== undefined && count > total)
    faults.push(
      invalid(at, count, `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`),
    )
  return faults
}

/** The number of indexes in `1,3-5`; a string is the fault. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0
  let last: number | undefined
  let total = 0
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions)
    if (typeof interval === 'string') return interval
    const [x, y] = interval
    if (last !== undefined && last >= x) return `non-increasing order, previous: ${last}, current: ${x}`
    total += y - x + 1
    last = y
  }
  return total
}

function parseInterval(part: string, completions: number): readonly [number, number] | string {
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
