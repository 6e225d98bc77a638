import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { ClientMessage } from '../../wire/messages.ts'
import type { RowsQuery } from '../../wire/row-page.ts'
import type { KindCatalogue } from '../kinds/kind-catalogue.ts'
import type { Subscription } from '../subscription.ts'
import type { Collections, HeldCollection } from './collections.ts'
import { RowView } from './row-view.ts'

interface RowsSubscriptionDeps {
  readonly id: number
  readonly catalogue: KindCatalogue
  readonly collections: Collections
  readonly clock: Clock
  changed(): void
}

/** So often cells are made anew that tell spans until now, in milliseconds. */
const REFRESH_MS = 10_000

/** A window of a list. */
export class RowsSubscription implements Subscription {
  readonly #deps: RowsSubscriptionDeps
  #query: RowsQuery
  #held: HeldCollection | undefined
  #view: RowView | undefined
  #problem = ''
  #stopped = false
  #cancelRefresh = () => {}

  constructor(deps: RowsSubscriptionDeps, query: RowsQuery) {
    this.#deps = deps
    this.#query = query
    void this.#open().catch((error: unknown) => {
      this.#problem = messageOf(error)
      deps.changed()
    })
  }

  /** Another window of the same collection; false: it is of another one. */
  ask(message: ClientMessage): boolean {
    if (message.type !== 'rows') return false
    const { query } = message
    const asked: readonly (keyof RowsQuery)[] = ['group', 'version', 'resource', 'namespace', 'labelSelector', 'fieldSelector']
    if (this.#problem !== '' || asked.some((part) => query[part] !== this.#query[part])) return false
    this.#query = query
    this.#view?.ask(query)
    return true
  }

  next() {
    const { id } = this.#deps
    if (this.#problem !== '') return { type: 'error', id, message: this.#problem } as const
    return this.#view === undefined ? undefined : ({ type: 'rows', id, page: this.#view.page() } as const)
  }

  stop(): void {
    this.#stopped = true
    this.#cancelRefresh()
    this.#view?.stop()
    this.#held?.release()
  }

  async #open(): Promise<void> {
    const { catalogue, collections, clock, changed } = this.#deps
    const kind = await catalogue.kind(this.#query)
    const columns = await catalogue.columns(kind)
    if (this.#stopped) return
    this.#held = collections.hold(kind, columns, this.#query)
    this.#view = new RowView(this.#held.collection, this.#query, { clock, changed })
    if (columns.some(({ growsStale }) => growsStale)) this.#refresh()
    changed()
  }

  #refresh(): void {
    this.#cancelRefresh = this.#deps.clock.after(REFRESH_MS, () => {
      this.#deps.changed()
      this.#refresh()
    })
  }
}
