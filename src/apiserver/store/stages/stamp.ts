import { fillNamespace, fillSystemFields, generatedName, wipeSystemFields } from '../object-meta.ts'
import type { CreateWork } from './work.ts'

/** Gives a new object its identity: uid, time, name and namespace. */
export function stamp(work: CreateWork): void {
  const { deps, write, draft } = work
  const { selfLink } = draft.metadata
  wipeSystemFields(draft)
  // A create has wiped it before; that of an update is cleared where objects are stored, which a dry run does not reach.
  if (write.dryRun && selfLink) draft.metadata.selfLink = selfLink
  fillSystemFields(deps, draft)
  const prefix = draft.metadata.generateName ?? ''
  if (prefix !== '' && (draft.metadata.name ?? '') === '') {
    work.generated = work.rules.generatesWithoutSuffix !== true
    draft.metadata.name = work.generated ? generatedName(deps, prefix) : prefix
  }
  fillNamespace(draft, write.served.definition.scope === 'Namespaced', write.place.namespace)
}
