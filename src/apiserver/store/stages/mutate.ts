import { arrival, type Steps } from '../../../base/steps.ts'
import { decodeOwnersSteps, ManagedFieldsError } from '../../../machinery/managed-fields/entries.ts'
import type { ObjectMeta } from '../../../machinery/object.ts'
import { asAdmitted, runMutating } from '../admit.ts'
import { convert } from '../conversion.ts'
import { dedupOwners } from '../object-meta.ts'
import type { Work } from './work.ts'

/** A webhook may change the managed fields; in an invalid state they are again what they were. */
function* keepManagers({ draft: { metadata }, write }: Work, before: ObjectMeta['managedFields']): Steps<void> {
  try {
    yield* decodeOwnersSteps(metadata.managedFields, false)
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error
    write.request.warn(`${INVALID_MANAGERS}: ${error.message}`)
    if (before === undefined) delete metadata.managedFields
    else metadata.managedFields = before
  }
}

const INVALID_MANAGERS =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests'

/** Mutating admission changes the draft. The server's own writes skip it. */
export function* mutate(work: Work): Steps<void> {
  const { write, admission, old } = work
  if (write.admission.length > 0) {
    const working = work.draft.apiVersion
    admission.object = yield* arrival(asAdmitted(write, work.draft))
    admission.oldObject = old && (yield* arrival(asAdmitted(write, old)))
    const { object } = admission
    yield* arrival(runMutating(admission))
    const { managedFields } = work.draft.metadata
    if (admission.object !== undefined) work.draft = yield* arrival(convert(write.served.definition, admission.object, working))
    if (admission.object !== object) yield* keepManagers(work, managedFields)
  }
  dedupOwners(write, work.draft, true)
}
