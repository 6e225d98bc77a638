import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Draft, DraftCheck } from '../../wire/draft-page.ts'
import type { ClientMessage } from '../../wire/messages.ts'
import type { KindEntry } from '../../wire/overview.ts'
import type { KindCatalogue } from '../kinds/kind-catalogue.ts'
import { FollowedObject, missingText } from '../object/followed-object.ts'
import type { Subscription } from '../subscription.ts'
import { checkDraft, draftText } from './check-draft.ts'

interface DraftSubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly clock: Clock
  readonly catalogue: KindCatalogue
  changed(): void
}

/** Objects that change all the time are not checked against more often. */
const RECHECK_MS = 500

/** An object that is edited, and what would become of the text. */
export class DraftSubscription implements Subscription {
  readonly #deps: DraftSubscriptionDeps
  readonly #stop = new AbortController()
  readonly #followed: FollowedObject
  #draft: Draft
  #kind: KindEntry | undefined
  #check: DraftCheck | undefined
  /** Of the check that is under way. */
  #running = new AbortController()
  #cancelRecheck: (() => void) | undefined

  constructor(deps: DraftSubscriptionDeps, draft: Draft) {
    this.#deps = deps
    this.#draft = draft
    this.#followed = new FollowedObject({ ...deps, object: draft, changed: () => this.#moved() })
    void this.#open().catch((error: unknown) => this.#followed.fail(messageOf(error)))
  }

  /** More was typed; false: about another object. */
  ask(message: ClientMessage): boolean {
    if (message.type !== 'draft') return false
    const { draft } = message
    const of: readonly (keyof Draft)[] = ['group', 'version', 'resource', 'namespace', 'name']
    if (of.some((part) => draft[part] !== this.#draft[part])) return false
    this.#draft = draft
    this.#runCheck()
    return true
  }

  next() {
    const { id } = this.#deps
    const followed = this.#followed
    if (followed.object === undefined || this.#kind === undefined) {
      const message = missingText(followed, this.#draft)
      return message === '' ? undefined : ({ type: 'error', id, message } as const)
    }
    const current = draftText({ object: followed.object, kind: this.#kind })
    const { deleted, problem } = followed
    return { type: 'draft', id, page: { current, deleted, problem, check: this.#check ?? null } } as const
  }

  stop(): void {
    this.#stop.abort()
    this.#running.abort()
    this.#cancelRecheck?.()
  }

  async #open(): Promise<void> {
    this.#kind = await this.#deps.catalogue.kind(this.#draft)
    if (!this.#stop.signal.aborted) this.#followed.follow(this.#kind, this.#stop.signal)
  }

  /** The object is another now: so is what would be stored. */
  #moved(): void {
    this.#deps.changed()
    this.#cancelRecheck ??= this.#deps.clock.after(this.#check === undefined ? 0 : RECHECK_MS, () => {
      this.#cancelRecheck = undefined
      this.#runCheck()
    })
  }

  #runCheck(): void {
    this.#running.abort()
    const { object, deleted } = this.#followed
    const kind = this.#kind
    const draft = this.#draft
    if (object === undefined || kind === undefined || deleted || draft.text === draft.base) {
      this.#check = undefined
      this.#deps.changed()
      return
    }
    const running = new AbortController()
    this.#running = running
    checkDraft(this.#deps.client, draft, { object, kind }, running.signal).then(
      (check) => this.#take(check),
      (error: unknown) => {
        if (!running.signal.aborted) this.#followed.fail(messageOf(error))
      },
    )
  }

  #take(check: DraftCheck): void {
    this.#check = check
    this.#deps.changed()
  }
}
