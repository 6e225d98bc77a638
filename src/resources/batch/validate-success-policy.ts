import { child, type FieldError, index, invalid, required, tooLong, tooMany } from '../../machinery/field-error.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateNonNegative } from '../checks.ts'
import { countIndexes, parseIndexes } from './job-indexes.ts'
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
    const parsed = parseIndexes(indexes, completions)
    if (typeof parsed === 'string') faults.push(invalid(at, indexes, `error parsing succeededIndexes: ${parsed}`))
    else total = countIndexes(parsed)
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
