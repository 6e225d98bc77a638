import { arrival, inTurns, type Steps } from '../../../base/steps.ts'
import type { FieldError } from '../../../machinery/field-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { invalidObject } from '../../../machinery/status-error.ts'
import { faultsInSteps } from '../../../machinery/validation/faults-of-each.ts'
import { validateObjectMeta, validateSegments, validateUpdatedMeta } from '../../../machinery/validation/object-meta.ts'
import { nameRule } from '../../../machinery/validation/object-name.ts'
import { compared } from '../compared.ts'
import { builtinFinalizers } from '../object-meta.ts'
import { groupKind } from '../write.ts'
import { checkedOf, type Work } from './work.ts'

/** The validation of the kind. Throws 422 with every fault. */
export function* check(work: Work): Steps<void> {
  const { write, rules, draft, old, context } = work
  const checked = checkedOf(work)
  let faults = yield* faultsOf(work, checked, old)
  // Validating shared parts is faster; faults are reported for the draft itself.
  if (faults.length > 0 && checked !== draft) faults = yield* faultsOf(work, draft, old)
  const before = faults.length > 0 && old !== undefined ? compared(write, old, draft) : old
  if (before !== old) {
    // Faults show quantities as they are written.
    const left = yield* faultsOf(work, draft, before)
    if (left.length < faults.length) faults = left
  }
  yield
  const { group, kind } = groupKind(write)
  // A custom object may name another kind, which is its fault.
  const named = write.served.definition.customDefinition === undefined ? kind : draft.kind
  if (faults.length > 0) throw invalidObject({ group, kind: named }, draft.metadata.name ?? '', faults)
  for (const text of rules.warnings?.(checked, old, context) ?? []) write.request.warn(text)
}

function* faultsOf(work: Work, object: KubeObject, old: KubeObject | undefined): Steps<readonly FieldError[]> {
  const faults = yield* faultsInSteps(() => (old === undefined ? faultsOfNew(work, object) : faultsOfChanged(work, object, old)))
  const more = work.rules.validateInSteps?.(object, old, work.context, faults)
  if (more === undefined) return faults
  // A custom kind's schema and its CEL rules may be expensive however small the object is, so they always yield. They cost up to the
  // product of both sizes: it ends when the client is gone or its time is over.
  return [...faults, ...(yield* arrival(inTurns(more, work.write.request.signal)))]
}

const isNamespaced = ({ write }: Work) => write.served.definition.scope === 'Namespaced'

function faultsOfNew(work: Work, object: KubeObject): readonly FieldError[] {
  const { rules, context, write } = work
  const own = rules.validateCreate?.(object, context) ?? []
  if (rules.metadataLast === true && own.length > 0) return own
  const faults = [
    ...validateObjectMeta(object.metadata, { namespaced: isNamespaced(work), validateName: nameRule(rules, object) }),
    ...builtinFinalizers(write.served.definition, object),
    ...own,
  ]
  return faults.length > 0 ? faults : validateSegments(object.metadata)
}

function faultsOfChanged(work: Work, object: KubeObject, old: KubeObject): readonly FieldError[] {
  const { rules, context, write } = work
  const how = {
    namespaced: isNamespaced(work),
    validateName: nameRule(rules, object),
    again: rules.metadataChecks ?? 'not',
    finalizers: () => builtinFinalizers(write.served.definition, object),
  }
  const meta = validateUpdatedMeta(object.metadata, old.metadata, how)
  const own = rules.validateUpdate?.(object, old, context) ?? []
  return meta.length === 0 ? own : [...meta, ...own]
}
