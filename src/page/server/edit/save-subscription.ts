import { messageOf } from '../../../base/message-of.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Draft, Saved } from '../../wire/draft-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { KindCatalogue } from '../kinds/kind-catalogue.ts'
import type { Subscription } from '../subscription.ts'
import { draftText, mergeDraft, putDraft } from './check-draft.ts'
import { readText } from './draft-faults.ts'
import { hasNoResponse } from './has-no-response.ts'

interface SaveDeps {
  readonly id: number
  readonly client: Client
  readonly catalogue: KindCatalogue
  changed(): void
}

/** One write. It is sent once, and not given up when the browser goes. */
export class SaveSubscription implements Subscription {
  readonly #id: number
  #saved: Saved | undefined

  constructor(deps: SaveDeps, draft: Draft) {
    this.#id = deps.id
    void saveDraft(deps, draft).then((saved) => {
      this.#saved = saved
      deps.changed()
    })
  }

  next() {
    return this.#saved === undefined ? undefined : ({ type: 'saved', id: this.#id, saved: this.#saved } as const)
  }

  stop(): void {}
}

const refused = (message: string): Saved => ({ outcome: 'refused', message: shownText(message), text: '' })

/** Merges a draft into the object as it is now, and stores it. */
async function saveDraft({ client, catalogue }: SaveDeps, draft: Draft): Promise<Saved> {
  let isSent = false
  try {
    const typed = readText(draft.text)
    if (typed.kind === 'faulty') return refused(typed.faults[0]?.message ?? '')
    const kind = await catalogue.kind(draft)
    const { group, version, resource, namespace, name } = draft
    const object = await client.get({ group, version, resource, name, ...(namespace !== '' && { namespace }) })
    const { merged, conflicts } = mergeDraft(draft, typed.object, { object, kind })
    const open = conflicts.filter(({ keep }) => keep === '').map(({ path }) => path)
    if (open.length > 0) return refused(`changed by somebody else meanwhile: ${open.join(', ')}`)
    isSent = true
    const stored = await putDraft(client, merged, { object, kind }, {})
    return { outcome: 'stored', message: '', text: draftText({ object: stored, kind }) }
  } catch (error) {
    return { outcome: isSent && hasNoResponse(error) ? 'unknown' : 'refused', message: shownText(messageOf(error)), text: '' }
  }
}
