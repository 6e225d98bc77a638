import { isReadOnlyFromHere, withPartsOf } from '../shared-parts.ts'
import type { CreateWork, UpdateWork } from './work.ts'

/** Objects of one template have most of what they hold in common with the one that was made before them. */
export function shareWithLike(work: CreateWork): void {
  const { deps, write, rules, draft } = work
  if (!isReadOnlyFromHere(rules)) return
  const like = deps.lately.like(write.served.definition, draft)
  if (like?.apiVersion === draft.apiVersion) work.shared = withPartsOf(draft, like, true)
}

/** What a changed object has in common with its old state becomes the very same, unless rules of the kind still change it. */
export function shareWithOld(work: UpdateWork): void {
  if (isReadOnlyFromHere(work.rules)) work.shared = withPartsOf(work.draft, work.old, true)
}
