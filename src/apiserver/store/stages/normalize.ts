import type { Steps } from '../../../base/steps.ts'
import { asKubeObject } from '../../../machinery/object.ts'
import { normalForm } from '../normal-form.ts'
import { checkedOf, type Work } from './work.ts'

/** Brings the object into the form in which Kubernetes would encode it. */
export function* normalize(work: Work): Steps<void> {
  const { deps, write, shared, rules, tracked, heavy } = work
  const { object } = yield* normalForm(deps.kinds, write.served.definition, { object: checkedOf(work), known: shared?.parts, heavy })
  const normal = asKubeObject(object)
  work.draft = tracked && rules.withoutNulls !== undefined ? rules.withoutNulls(normal) : normal
}
