import { nextTurn } from '../../base/turns.ts'
import type { Revision } from '../../storage/store.ts'
import type { CacheEvent, ViewEvent } from './cache-event.ts'
import type { History } from './history.ts'
import { type Filter, select } from './view.ts'

/** Events that go out together. Watchers of one view share batches, and through `memo` the bytes made of them. */
export interface Batch {
  readonly events: readonly ViewEvent[]
  readonly memo: Map<string, Buffer>
}

const BATCH = 512
const LOG_LIMIT = 4096
const PASS = 500

/** The watchers of one filter, and the events that some of them have not taken yet. */
class View {
  readonly filter: Filter
  readonly watchers = new Set<CacheWatcher>()
  log: ViewEvent[] = []
  /** The sequence number of `log[0]`. */
  start = 0
  #batch: { from: number; to: number; batch: Batch } | undefined

  constructor(filter: Filter) {
    this.filter = filter
  }

  get end(): number {
    return this.start + this.log.length
  }

  batch(from: number): Batch {
    const to = Math.min(this.end, from + BATCH)
    if (this.#batch?.from !== from || this.#batch.to !== to) {
      this.#batch = { from, to, batch: { events: this.log.slice(from - this.start, to - this.start), memo: new Map() } }
    }
    return this.#batch.batch
  }

  /** Drops what everyone has taken; a watcher that holds too much back is made lagging. */
  trim(): void {
    let least = this.end
    for (const w of this.watchers) {
      if (w.cursor === undefined) continue
      if (this.end - w.cursor > LOG_LIMIT) w.lag()
      else if (w.cursor < least) least = w.cursor
    }
    if (least === this.end) this.log = []
    else this.log.splice(0, least - this.start)
    this.start = least
  }
}

/**
 * One reader of a view's events. *Active*: it takes each batch as it comes. *Lagging*: it reads from the history until it has caught up, or
 * is told that its place is forgotten.
 */
export class CacheWatcher {
  readonly view: View
  readonly #owner: Watchers
  readonly #ready: () => void
  /** The place in the view's log; undefined while lagging. */
  cursor: number | undefined
  /** Everything up to here was taken. */
  position: Revision

  constructor(init: { view: View; owner: Watchers; position: Revision; ready: () => void }) {
    this.view = init.view
    this.#owner = init.owner
    this.position = init.position
    this.#ready = init.ready
  }

  /** The next events, or undefined when there are none now; `forgotten` when the history does not reach back to this watcher's place. */
  take(): Batch | 'forgotten' | undefined {
    if (this.cursor !== undefined) {
      if (this.cursor === this.view.end) return undefined
      const batch = this.view.batch(this.cursor)
      this.cursor += batch.events.length
      this.position = batch.events.at(-1)?.revision ?? this.position
      return batch
    }
    const events = this.#owner.history.after(this.position, BATCH)
    if (events === undefined) return 'forgotten'
    if (events.length < BATCH) this.cursor = this.view.end
    this.position = events.at(-1)?.revision ?? this.position
    const seen = events.flatMap((e) => select(this.view.filter, e) ?? [])
    if (seen.length === 0) return this.cursor === undefined ? this.take() : undefined
    return { events: seen, memo: new Map() }
  }

  /** True when nothing waits to be taken. */
  get current(): boolean {
    return this.cursor !== undefined && this.cursor === this.view.end
  }

  /** Gives up the place in the log; what was not taken is read from the history. */
  lag(): void {
    if (this.cursor === undefined) return
    const next = this.view.log[this.cursor - this.view.start]
    if (next !== undefined) this.position = next.revision - 1
    this.cursor = undefined
  }

  notify(): void {
    this.#ready()
  }

  close(): void {
    this.#owner.remove(this)
  }
}

/** All watchers of one resource. */
export class Watchers {
  readonly history: History
  readonly #views = new Map<string, View>()
  /** Views that only an event on an object with this field value can touch: field → value → views. */
  readonly #indexed = new Map<string, Map<string, Set<View>>>()
  readonly #plain = new Set<View>()
  readonly #indexes: Readonly<Record<string, (event: CacheEvent) => readonly string[]>>
  #dirty = new Set<View>()

  constructor(history: History, indexes: Readonly<Record<string, (event: CacheEvent) => readonly string[]>>) {
    this.history = history
    this.#indexes = indexes
  }

  get size(): number {
    let n = 0
    for (const v of this.#views.values()) n += v.watchers.size
    return n
  }

  /** Adds a watcher of what comes after `position`; it starts lagging and catches up from the history. `ready` is called when there is something to take. */
  add(filter: Filter, position: Revision, ready: () => void): CacheWatcher {
    const view = this.#views.get(filter.key) ?? this.#open(filter)
    const watcher = new CacheWatcher({ view, owner: this, position, ready })
    view.watchers.add(watcher)
    return watcher
  }

  remove(watcher: CacheWatcher): void {
    const { view } = watcher
    view.watchers.delete(watcher)
    if (view.watchers.size > 0 || this.#views.get(view.filter.key) !== view) return
    this.#views.delete(view.filter.key)
    this.#plain.delete(view)
    const { index } = view.filter
    if (index !== undefined) this.#bucket(index).delete(view)
  }

  /** Records an event for every view that it touches. */
  push(event: CacheEvent): void {
    for (const view of this.#plain) this.#offer(view, event)
    for (const [field, values] of this.#indexed) {
      for (const value of this.#indexes[field]?.(event) ?? []) for (const view of values.get(value) ?? []) this.#offer(view, event)
    }
  }

  /** Wakes the watchers of what was pushed. Long passes are cut, so that others get a turn. */
  flush(): void {
    if (this.#dirty.size === 0) return
    const dirty = [...this.#dirty]
    this.#dirty = new Set()
    const all: CacheWatcher[] = []
    for (const view of dirty) for (const w of view.watchers) all.push(w)
    this.#wake(all, 0, dirty)
  }

  #wake(all: readonly CacheWatcher[], from: number, dirty: readonly View[]): void {
    const to = Math.min(all.length, from + PASS)
    for (let i = from; i < to; i++) all[i]?.notify()
    if (to < all.length) nextTurn(() => this.#wake(all, to, dirty))
    else for (const view of dirty) view.trim()
  }

  #offer(view: View, event: CacheEvent): void {
    const seen = select(view.filter, event)
    if (seen === undefined) return
    view.log.push(seen)
    this.#dirty.add(view)
  }

  #open(filter: Filter): View {
    const view = new View(filter)
    this.#views.set(filter.key, view)
    if (filter.index !== undefined && this.#indexes[filter.index.field] !== undefined) this.#bucket(filter.index).add(view)
    else this.#plain.add(view)
    return view
  }

  #bucket(index: { field: string; value: string }): Set<View> {
    const values = this.#indexed.get(index.field) ?? new Map<string, Set<View>>()
    this.#indexed.set(index.field, values)
    const views = values.get(index.value) ?? new Set<View>()
    values.set(index.value, views)
    return views
  }
}
