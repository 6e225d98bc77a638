import { child, type FieldError, invalid } from '../../machinery/field-error.ts'
import { validateConditions } from '../../machinery/validation/conditions.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { segmentName } from '../../machinery/validation/object-name.ts'
import { validateNonNegative } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { validateEnum } from '../enumerations.ts'
import { type IntOrPercent, validateIntOrPercent, validateNotMoreThanAll } from '../int-or-percent.ts'
import type * as policy from '../types/policy.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type PodDisruptionBudget = UncheckedObject<policy.PodDisruptionBudget>
type BudgetSpec = Unchecked<policy.PodDisruptionBudgetSpec>

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const

export const podDisruptionBudgets = define<PodDisruptionBudget>({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  singular: 'poddisruptionbudget',
  shortNames: ['pdb'],
  columns: [
    NAME,
    { name: 'Min Available', describes: 'spec.minAvailable', cell: (o) => bound(o.spec?.minAvailable) },
    { name: 'Max Unavailable', describes: 'spec.maxUnavailable', cell: (o) => bound(o.spec?.maxUnavailable) },
    {
      name: 'Allowed Disruptions',
      type: 'integer',
      description: 'How many pods may be evicted now.',
      cell: (o) => o.status?.disruptionsAllowed ?? 0,
    },
    AGE,
  ],
  metadataChecks: 'not',
  rules: {
    generation: 'spec',
    validateName: segmentName,
    metadataLast: true,
    allowUnconditionalUpdate: false,
    defaults: (draft) => {
      draft.spec ??= {}
      draft.status ??= {}
      for (const field of COUNTS) draft.status[field] ??= 0
    },
    prepareForCreate: (draft) => {
      draft.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
    },
    validateCreate: (o) => validateSpec(o.spec ?? {}, 'spec'),
    validateUpdate: (o) => validateSpec(o.spec ?? {}, 'spec'),
  },
  subresources: { status: { kind: 'status', rules: { metadataChecks: 'not', validateUpdate: validateStatus } } },
})

const bound = (value: IntOrPercent): string => (value === undefined ? 'N/A' : String(value))

function validateSpec(spec: BudgetSpec, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined)
    faults.push(invalid(path, internal(spec), 'minAvailable and maxUnavailable cannot be both set'))
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    if (spec[field] === undefined) continue
    faults.push(...validateIntOrPercent(spec[field], child(path, field)), ...validateNotMoreThanAll(spec[field], child(path, field)))
  }
  faults.push(...validateLabelSelector(spec.selector, child(path, 'selector')))
  const policy = spec.unhealthyPodEvictionPolicy
  faults.push(...validateEnum(policy, 'policy_v1.UnhealthyPodEvictionPolicyType', child(path, 'unhealthyPodEvictionPolicy')))
  return faults
}

const internal = (spec: BudgetSpec) => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: spec.selector ?? null,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
})

function validateStatus(o: PodDisruptionBudget): FieldError[] {
  return [
    ...validateConditions(o.status?.conditions, 'status.conditions'),
    ...COUNTS.flatMap((field) => validateNonNegative(o.status?.[field], child('status', field))),
  ]
}
