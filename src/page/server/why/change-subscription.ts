import { messageOf } from '../../../base/message-of.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Saved } from '../../wire/draft-page.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { shownText } from '../../wire/shown-text.ts'
import { hasNoResponse } from '../edit/has-no-response.ts'
import type { Subscription } from '../subscription.ts'
import { changeNamed, makeChange } from './make-change.ts'
import { schedulingReportOf } from './why-reports.ts'

interface ChangeSubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly object: ObjectName
  /** The change in words. */
  readonly change: string
  changed(): void
}

/** Makes a change that the scheduler proposes, once. */
export class ChangeSubscription implements Subscription {
  readonly #id: number
  #saved: Saved | undefined

  constructor(deps: ChangeSubscriptionDeps) {
    this.#id = deps.id
    void madeChange(deps).then((saved) => {
      this.#saved = saved
      deps.changed()
    })
  }

  next() {
    return this.#saved && ({ type: 'saved', id: this.#id, saved: this.#saved } as const)
  }

  stop(): void {}
}

async function madeChange({ client, object, change }: ChangeSubscriptionDeps): Promise<Saved> {
  let isSent = false
  try {
    const write = changeNamed(await schedulingReportOf(client, object), change)
    isSent = true
    await makeChange(client, write)
    return { outcome: 'stored', message: '', text: '' }
  } catch (error) {
    return { outcome: isSent && hasNoResponse(error) ? 'unknown' : 'refused', message: shownText(messageOf(error)), text: '' }
  }
}
