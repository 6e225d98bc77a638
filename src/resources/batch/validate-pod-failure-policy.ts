import { child, duplicate, type FieldError, goQuote, index, invalid, notSupported, required, tooMany } from '../../machinery/field-error.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelName } from '../../machinery/validation/object-meta.ts'
import { repeats } from '../checks.ts'
import { enumOf, validateEnum } from '../enumerations.ts'
import type { FailureRule, JobSpec } from './job-types.ts'

const STATUSES = ['False', 'True', 'Unknown']
const mostRules = 20
const mostCodes = 255
const mostConditions = 20

const oneOf = (values: readonly string[]) => `valid values: [${values.map(goQuote).join(' ')}]`
// Go omits the value in these messages.
const invalidAsAWhole = (field: string, text: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${text}`,
})

/** Validates the pod failure policy. */
export function validatePodFailurePolicy(spec: JobSpec, path: string): FieldError[] {
  const at = child(path, 'rules')
  const rules = spec.podFailurePolicy?.rules ?? []
  const pod = spec.template?.spec
  const containers = new Set([...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map((c) => c.name ?? ''))
  const faults = rules.length > mostRules ? [tooMany(at, rules.length, mostRules)] : []
  return [...faults, ...faultsOfEach(rules, (rule, i) => validateRule(rule, spec, containers, index(at, i)))]
}

function validateRule(rule: FailureRule, spec: JobSpec, containers: ReadonlySet<string>, path: string): FieldError[] {
  const faults: FieldError[] = []
  const at = child(path, 'action')
  if (!rule.action) faults.push(required(at, oneOf(enumOf('batch_v1.PodFailurePolicyAction'))))
  else if (rule.action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined) faults.push(invalid(at, rule.action, 'requires the backoffLimitPerIndex to be set'))
  } else faults.push(...validateEnum(rule.action, 'batch_v1.PodFailurePolicyAction', at))
  const conditions = rule.onPodConditions ?? []
  if (rule.onExitCodes) faults.push(...validateExitCodes(rule.onExitCodes, containers, child(path, 'onExitCodes')))
  faults.push(...validateConditions(conditions, child(path, 'onPodConditions')))
  if (rule.onExitCodes && conditions.length > 0)
    faults.push(invalidAsAWhole(path, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  if (!rule.onExitCodes && conditions.length === 0)
    faults.push(invalidAsAWhole(path, 'specifying one of OnExitCodes and OnPodConditions is required'))
  return faults
}

function validateExitCodes(codes: NonNullable<FailureRule['onExitCodes']>, containers: ReadonlySet<string>, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!codes.operator) faults.push(required(child(path, 'operator'), oneOf(enumOf('batch_v1.PodFailurePolicyOnExitCodesOperator'))))
  else faults.push(...validateEnum(codes.operator, 'batch_v1.PodFailurePolicyOnExitCodesOperator', child(path, 'operator')))
  if (codes.containerName !== undefined && !containers.has(codes.containerName))
    faults.push(
      invalid(child(path, 'containerName'), codes.containerName, 'must be one of the container or initContainer names in the pod template'),
    )
  const at = child(path, 'values')
  const values = codes.values ?? []
  if (values.length === 0) faults.push(invalid(at, codes.values ?? givenEmpty(codes, 'values') ?? null, 'at least one value is required'))
  else if (values.length > mostCodes) faults.push(tooMany(at, values.length, mostCodes))
  const isRepeated = repeats()
  faults.push(
    ...faultsOfEach(values, (value, i) => {
      const found: FieldError[] = []
      if (codes.operator === 'In' && value === 0) found.push(invalid(index(at, i), value, 'must not be 0 for the In operator'))
      if (isRepeated(value)) found.push(duplicate(index(at, i), value))
      return found
    }),
  )
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value)) faults.push(invalid(at, values, 'must be ordered'))
  return faults
}

function validateConditions(conditions: NonNullable<FailureRule['onPodConditions']>, path: string): FieldError[] {
  const faults = conditions.length > mostConditions ? [tooMany(path, conditions.length, mostConditions)] : []
  return [
    ...faults,
    ...faultsOfEach(conditions, (condition, i) => {
      const found = [...validateLabelName(condition.type ?? '', child(index(path, i), 'type'))]
      const at = child(index(path, i), 'status')
      if (!condition.status) found.push(required(at, oneOf(STATUSES)))
      else if (!STATUSES.includes(condition.status)) found.push(notSupported(at, condition.status, STATUSES))
      return found
    }),
  ]
}
