import { isReadOnlyFromHere, withPartsOf } from '../shared-parts.ts'
import type { CreateWork, UpdateWork } from './work.ts'

/** Objects of one template share most of their content with the one created before. */
export function shareWithLike(work: CreateWork): void {
  const { deps, write, rules, draft } = work
  if (!isReadOnlyFromHere(rules)) return
  const like = deps.lately.like(write.served.definition, draft)
  if (like?.apiVersion === draft.apiVersion) work.shared = withPartsOf(draft, like, true)
}

/** Shares the unchanged parts of an object with its old state, unless rules of the kind still change it. */
export function shareWithOld(work: UpdateWork): void {
  if (isReadOnlyFromHere(work.rules)) work.shared = withPartsOf(work.draft, work.old, true)
}
