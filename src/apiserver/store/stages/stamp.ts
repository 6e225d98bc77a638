import { fillNamespace, fillSystemFields, generatedName } from '../object-meta.ts'
import type { CreateWork } from './work.ts'

/** Gives a new object its identity: uid, time, name and namespace. */
export function stamp(work: CreateWork): void {
  const { deps, write, draft } = work
  // A create has wiped it before; that of an update is cleared where objects are stored, which a dry run does not reach.
  if (!write.dryRun || !draft.metadata.selfLink) delete draft.metadata.selfLink
  fillSystemFields(deps, draft)
  const prefix = draft.metadata.generateName ?? ''
  if (prefix !== '' && (draft.metadata.name ?? '') === '') {
    work.generated = work.rules.generatesWithoutSuffix !== true
    draft.metadata.name = work.generated ? generatedName(deps, prefix) : prefix
  }
  fillNamespace(draft, write.served.definition.scope === 'Namespaced', write.place.namespace)
}
