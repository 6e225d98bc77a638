import { arrival, type Steps } from '../../../base/steps.ts'
import { asAdmitted, runValidating } from '../admit.ts'
import { checkedOf, type Work } from './work.ts'

/** Validating admission is the last check. The server's own writes skip it. */
export function* validate(work: Work): Steps<void> {
  const { write, admission, draft } = work
  if (write.admission.length === 0) return
  admission.object = yield* arrival(asAdmitted(write, checkedOf(work)))
  if (work.old === undefined) admission.name = draft.metadata.name ?? ''
  yield* arrival(runValidating(admission))
}
