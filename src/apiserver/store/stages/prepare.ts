import { countGeneration, keepForeignFields } from '../effective-rules.ts'
import { fillNamespace } from '../object-meta.ts'
import type { CreateWork, UpdateWork } from './work.ts'

/** The kind's strategy prepares a new object. */
export function prepareForCreate({ rules, draft, context }: CreateWork): void {
  rules.prepareForCreate?.(draft, context)
  if ((rules.generation ?? 'none') !== 'none') draft.metadata.generation = 1
}

/** The kind's strategy prepares a changed object; fields that this path may not write are restored. */
export function prepareForUpdate({ write, rules, draft, old, context }: UpdateWork): void {
  const { metadata } = draft
  fillNamespace(draft, write.served.definition.scope === 'Namespaced', write.place.namespace)
  if (old.metadata.generation === undefined) delete metadata.generation
  else metadata.generation = old.metadata.generation
  keepForeignFields(write, draft, old)
  rules.prepareForUpdate?.(draft, old, context)
  countGeneration(write, draft, old)
  if (!metadata.uid && old.metadata.uid !== undefined) metadata.uid = old.metadata.uid
  if (old.metadata.creationTimestamp) metadata.creationTimestamp = old.metadata.creationTimestamp
  if (old.metadata.deletionTimestamp) metadata.deletionTimestamp = old.metadata.deletionTimestamp
  if (old.metadata.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.metadata.deletionGracePeriodSeconds
  }
  // It is cleared where objects are stored, which a dry run does not reach.
  if (!write.dryRun) delete metadata.selfLink
}
