import type { Client } from '../../../sdk/client/client.ts'
import type { Draft, Saved } from '../../wire/draft-page.ts'
import type { KindCatalogue } from '../kinds/kind-catalogue.ts'
import { draftText, mergeDraft, putDraft } from './check-draft.ts'
import { readText } from './draft-faults.ts'
import { savedBy } from './saved-by.ts'

interface SaveDeps {
  readonly client: Client
  readonly catalogue: KindCatalogue
}

/** Merges a draft into the object as it is now, and stores it. */
export const saveDraft = ({ client, catalogue }: SaveDeps, draft: Draft): Promise<Saved> =>
  savedBy(async (sending) => {
    const typed = readText(draft.text)
    if (typed.kind === 'faulty') throw new Error(typed.faults[0]?.message ?? '')
    const kind = await catalogue.kind(draft)
    const { group, version, resource, namespace, name } = draft
    const object = await client.get({ group, version, resource, name, ...(namespace !== '' && { namespace }) })
    const { merged, conflicts } = mergeDraft(draft, typed.object, { object, kind })
    const open = conflicts.filter(({ keep }) => keep === '').map(({ path }) => path)
    if (open.length > 0) throw new Error(`changed by somebody else meanwhile: ${open.join(', ')}`)
    sending()
    const stored = await putDraft(client, merged, { object, kind }, {})
    return draftText({ object: stored, kind })
  })
