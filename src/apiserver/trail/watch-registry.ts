import type { Cancel, Clock } from '../../base/clock.ts'
import { ChangeLog } from '../../base/collections/change-log.ts'
import type { Random } from '../../base/random.ts'
import type { PathTarget } from '../request/request-info.ts'
import type { WatchSession } from '../store/watch-session.ts'
import { ObservedWatch, type WatchKeeper, type WatchOpening } from './observed-watch.ts'
import { OpeningCounts } from './watch-openings.ts'
import { WatchScopes } from './watch-scopes.ts'

/** How often counts are reported to those who watch them. */
const REPORT_MS = 1000

/** All open watches: who reads what, how much was sent, how much waits. */
export class WatchRegistry implements WatchKeeper {
  readonly changes: ChangeLog
  readonly #deps: { readonly clock: Clock; readonly random: Random }
  readonly #open = new Map<string, ObservedWatch>()
  readonly #scopes = new WatchScopes()
  readonly #openings = new OpeningCounts()
  #readers = 0
  #cancel: Cancel = () => {}

  constructor(deps: { readonly clock: Clock; readonly random: Random }) {
    this.#deps = deps
    this.changes = new ChangeLog(deps.clock.now())
  }

  now(): number {
    return this.#deps.clock.now()
  }

  /** The session, observed until it is closed. */
  opened(opening: WatchOpening): WatchSession {
    const given = opening.request.trail?.name
    const name = given !== undefined && !this.#open.has(given) ? given : this.#deps.random.uuid()
    const openings = this.#openings.opened(opening, this.now())
    const watch = new ObservedWatch(name, { ...opening, openings }, this)
    this.#open.set(name, watch)
    this.#scopes.add(watch)
    watch.since = watch.revision = this.changes.note(name)
    return watch
  }

  closed(watch: ObservedWatch): void {
    if (!this.#open.delete(watch.name)) return
    this.#scopes.remove(watch)
    this.changes.note(watch.name)
  }

  names(): readonly string[] {
    return [...this.#open.keys()]
  }

  of(name: string): ObservedWatch | undefined {
    return this.#open.get(name)
  }

  /** Who gets changes of an object. */
  receiversOf(target: PathTarget, name: string) {
    return this.#scopes.covering(target, name)
  }

  /** Changed counts are reported until the result is disposed of. */
  watched(): Disposable {
    if (this.#readers++ === 0) this.#reportLater()
    return {
      [Symbol.dispose]: () => {
        if (--this.#readers === 0) this.#cancel()
      },
    }
  }

  #reportLater(): void {
    this.#cancel = this.#deps.clock.after(REPORT_MS, () => {
      for (const watch of this.#open.values()) if (watch.moved) watch.revision = this.changes.note(watch.name)
      for (const watch of this.#open.values()) watch.moved = false
      this.#reportLater()
    })
  }
}
