import { child, type FieldError, invalid } from '../../machinery/field-error.ts'
import { validateNonNegative } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import type * as coordination from '../types/coordination.ts'
import type { UncheckedObject } from '../unchecked.ts'

type Lease = UncheckedObject<coordination.Lease>

export const leases = define<Lease>({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  metadataChecks: 'as-update',
  columns: [NAME, { name: 'Holder', describes: 'spec.holderIdentity', cell: (o) => o.spec?.holderIdentity ?? '' }, AGE],
  rules: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareForCreate: dropElection,
    prepareForUpdate: (draft, old) => {
      if (old.spec?.strategy === undefined && old.spec?.preferredHolder === undefined) dropElection(draft)
    },
    validateCreate: (object) => validate(object),
    validateUpdate: (object) => validate(object),
  },
})

/** Coordinated leader election is off by default in 1.36, so its fields are dropped. */
function dropElection(draft: Lease): void {
  if (!draft.spec) return
  delete draft.spec.strategy
  delete draft.spec.preferredHolder
}

function validate(object: Lease): FieldError[] {
  const spec = object.spec ?? {}
  const faults: FieldError[] = []
  if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0)
    faults.push(invalid(child('spec', 'leaseDurationSeconds'), spec.leaseDurationSeconds, 'must be greater than 0'))
  faults.push(...validateNonNegative(spec.leaseTransitions, child('spec', 'leaseTransitions')))
  return faults
}
