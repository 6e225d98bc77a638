import { type FieldError, forbidden } from '../../machinery/field-error.ts'
import { validateImmutableNamed } from '../../machinery/validation/object-meta.ts'
import { AGE, define, NAME } from '../define.ts'
import { validatePreemption } from '../pod/validation/validate-spec.ts'
import type * as scheduling from '../types/scheduling.ts'
import type { UncheckedObject } from '../unchecked.ts'

type PriorityClass = UncheckedObject<scheduling.PriorityClass>

const SYSTEM_PREFIX = 'system-'
const SYSTEM_VALUES: Readonly<Record<string, number>> = { 'system-node-critical': 2_000_001_000, 'system-cluster-critical': 2_000_000_000 }
const highestOfUsers = 1_000_000_000

export const priorityClasses = define<PriorityClass>({
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  singular: 'priorityclass',
  shortNames: ['pc'],
  scope: 'Cluster',
  columns: [
    NAME,
    { name: 'Value', type: 'integer', describes: 'value', cell: (o) => o.value ?? 0 },
    { name: 'Global-Default', type: 'boolean', describes: 'globalDefault', cell: (o) => o.globalDefault ?? false },
    AGE,
    { name: 'PreemptionPolicy', describes: 'preemptionPolicy', cell: (o) => o.preemptionPolicy ?? '' },
  ],
  metadataChecks: 'as-update',
  rules: {
    generation: 'created',
    defaults: (draft) => {
      draft.preemptionPolicy ??= 'PreemptLowerPriority'
    },
    validateCreate: validate,
    validateUpdate: (o, old) => [
      ...((o.value ?? 0) === (old.value ?? 0) ? [] : [forbidden('value', 'may not be changed in an update.')]),
      ...validateImmutableNamed(o.preemptionPolicy ?? null, old.preemptionPolicy ?? null, 'preemptionPolicy'),
    ],
  },
})

function validate(o: PriorityClass): FieldError[] {
  const faults: FieldError[] = []
  const name = o.metadata.name ?? ''
  const value: number = o.value ?? 0
  if (name.startsWith(SYSTEM_PREFIX)) {
    const why = unlikeSystemClass(name, value, o.globalDefault ?? false)
    if (why)
      faults.push(
        forbidden('metadata.name', `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`),
      )
  } else if (value > highestOfUsers)
    faults.push(forbidden('value', `maximum allowed value of a user defined priority is ${highestOfUsers}`))
  return [...faults, ...validatePreemption(o.preemptionPolicy, 'preemptionPolicy')]
}

function unlikeSystemClass(name: string, value: number, globalDefault: boolean): string | undefined {
  const expected = Object.hasOwn(SYSTEM_VALUES, name) ? SYSTEM_VALUES[name] : undefined
  if (expected === undefined) return `${name} is not a known system priority class`
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}
