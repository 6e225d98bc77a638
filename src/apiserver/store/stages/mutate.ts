import { arrival, type Steps } from '../../../base/steps.ts'
import { asAdmitted, runMutating } from '../admit.ts'
import { convert } from '../conversion.ts'
import { dedupOwners } from '../object-meta.ts'
import type { Work } from './work.ts'

/** Mutating admission changes the draft. The server's own writes skip it. */
export function* mutate(work: Work): Steps<void> {
  const { write, admission, old } = work
  if (write.admission.length > 0) {
    const working = work.draft.apiVersion
    admission.object = yield* arrival(asAdmitted(write, work.draft))
    admission.oldObject = old && (yield* arrival(asAdmitted(write, old)))
    yield* arrival(runMutating(admission))
    if (admission.object !== undefined) work.draft = yield* arrival(convert(write.served.definition, admission.object, working))
  }
  dedupOwners(write, work.draft, true)
}
