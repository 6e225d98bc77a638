import { nextTurn } from '../../base/turns.ts'
import type { Revision } from '../../storage/store.ts'
import type { CacheEvent, ViewEvent } from './cache-event.ts'
import type { History } from './history.ts'
import { type Filter, select } from './view.ts'
import { BATCH_BYTES, BATCH_EVENTS, type Batch, View } from './view-log.ts'

export type { Batch } from './view-log.ts'

/** Watchers woken in one turn of the event loop. */
const PASS = 500
/** Bytes of history searched in one turn for a watcher whose filter matches few events. */
const SEARCH_BYTES = 1024 * 1024

/** When a watch is ended from outside: at once (the client can resume), or after the pending events (there is nothing to resume). */
export type WatchEnd = 'at-once' | 'after-backlog'

/**
 * One reader of a view's events. *Active*: it takes each batch from the view's log. *Lagging*: it reads the history until it has caught up,
 * or until the history no longer has its position. It gets no event up to the revision that it began with, even if that is in the future.
 */
export class CacheWatcher {
  readonly view: View<CacheWatcher>
  readonly #owner: Watchers
  readonly #ready: () => void
  /** The position in the view's log; undefined while lagging. */
  cursor: number | undefined
  /** Everything up to this revision was taken. */
  position: Revision
  /** Set when the resource is withdrawn or served differently. */
  ends: WatchEnd | undefined
  #closed = false

  constructor(init: { view: View<CacheWatcher>; owner: Watchers; position: Revision; ready: () => void }) {
    this.view = init.view
    this.#owner = init.owner
    this.position = init.position
    this.#ready = init.ready
  }

  /**
   * The next events; undefined if there are none now (`ready` is called when there may be some); `forgotten` if the history no longer
   * reaches back to this watcher's position.
   */
  take(): Batch | 'forgotten' | undefined {
    return this.cursor === undefined ? this.#fromHistory() : this.#fromLog(this.cursor)
  }

  /** True if no event is pending. */
  get current(): boolean {
    return this.cursor !== undefined && this.cursor === this.view.end
  }

  /** Events that it has not taken; undefined while lagging. */
  get pending(): number | undefined {
    return this.cursor === undefined ? undefined : this.view.end - this.cursor
  }

  /** Leaves the log; pending events are read from the history. */
  lag(): void {
    if (this.cursor === undefined) return
    const next = this.view.at(this.cursor)
    if (next !== undefined) this.position = Math.max(this.position, next.revision - 1)
    this.cursor = undefined
  }

  end(when: WatchEnd): void {
    this.ends = when
    this.notify()
  }

  notify(): void {
    if (!this.#closed) this.#ready()
  }

  close(): void {
    this.#closed = true
    this.#owner.remove(this)
  }

  #fromLog(cursor: number): Batch | undefined {
    let from = cursor
    // A watch from a future revision skips events before it.
    while (from < this.view.end && (this.view.at(from)?.revision ?? 0) <= this.position) from++
    this.cursor = from
    if (from === this.view.end) return undefined
    const batch = this.view.batch(from)
    this.cursor = from + batch.events.length
    this.position = batch.events.at(-1)?.revision ?? this.position
    return batch
  }

  #fromHistory(): Batch | 'forgotten' | undefined {
    const seen: ViewEvent[] = []
    let bytes = 0
    for (let looked = 0; seen.length < BATCH_EVENTS && bytes < BATCH_BYTES && looked < SEARCH_BYTES; ) {
      const found = this.#owner.history.after(this.position, 64, BATCH_BYTES)
      if (found === undefined) return seen.length > 0 ? { events: seen, memo: new Map() } : 'forgotten'
      for (const [i, event] of found.events.entries()) {
        const chosen = select(this.view.filter, event)
        if (chosen !== undefined) {
          seen.push(chosen)
          bytes += event.item.sizeBytes
        }
        looked += EVENT_COST + event.item.sizeBytes
        this.position = event.revision
        const whole = found.events[i + 1]?.revision !== event.revision
        if (whole && (bytes >= BATCH_BYTES || looked >= SEARCH_BYTES)) break
      }
      if (!found.more && (found.events.at(-1)?.revision ?? this.position) <= this.position) {
        this.cursor = this.view.end
        break
      }
    }
    if (seen.length > 0) return { events: seen, memo: new Map() }
    if (this.cursor === undefined) nextTurn(() => this.notify())
    return undefined
  }
}

/** The cost of examining an event, in bytes of search. */
const EVENT_COST = 512

type Indexes = Readonly<Record<string, (event: CacheEvent) => readonly string[]>>

/** All watchers of one resource. */
export class Watchers {
  readonly history: History
  readonly #views = new Map<string, View<CacheWatcher>>()
  /** Views that only events of objects with this field value touch: field → value → views. */
  readonly #indexed = new Map<string, Map<string, Set<View<CacheWatcher>>>>()
  readonly #plain = new Set<View<CacheWatcher>>()
  readonly #indexes: Indexes
  /** Views with events that some watcher has not taken. */
  readonly #holding = new Set<View<CacheWatcher>>()
  #dirty = new Set<View<CacheWatcher>>()

  constructor(history: History, indexes: Indexes) {
    this.history = history
    this.#indexes = indexes
  }

  get size(): number {
    let n = 0
    for (const v of this.#views.values()) n += v.watchers.size
    return n
  }

  /** The number of filters and index entries. */
  get kept(): { readonly views: number; readonly buckets: number } {
    let buckets = 0
    for (const values of this.#indexed.values()) buckets += values.size
    return { views: this.#views.size, buckets }
  }

  /**
   * Adds a watcher of the events after `position`; it begins lagging and catches up from the history. `ready` is called when events are
   * available.
   */
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
    this.#holding.delete(view)
    this.#unlist(view)
  }

  /** Ends all watchers: their resource is served differently, or no longer. */
  endAll(when: WatchEnd): void {
    for (const view of [...this.#views.values()]) for (const watcher of [...view.watchers]) watcher.end(when)
  }

  /** Appends an event to every view that it touches. */
  push(event: CacheEvent): void {
    for (const view of this.#plain) this.#offer(view, event)
    for (const [field, values] of this.#indexed) {
      for (const value of this.#indexes[field]?.(event) ?? []) for (const view of values.get(value) ?? []) this.#offer(view, event)
    }
  }

  /** Wakes the watchers of pushed events, a bounded number per turn. */
  flush(): void {
    if (this.#dirty.size === 0) return
    const dirty = [...this.#dirty]
    this.#dirty = new Set()
    const all: CacheWatcher[] = []
    for (const view of dirty) for (const w of view.watchers) all.push(w)
    this.#wake(all, 0, dirty)
  }

  /** Keeps nothing up to this revision. */
  forget(floor: Revision): void {
    for (const view of this.#holding) {
      view.forget(floor)
      if (view.isEmpty) this.#holding.delete(view)
    }
  }

  #wake(all: readonly CacheWatcher[], from: number, dirty: readonly View<CacheWatcher>[]): void {
    const to = Math.min(all.length, from + PASS)
    for (let i = from; i < to; i++) all[i]?.notify()
    if (to < all.length) {
      nextTurn(() => this.#wake(all, to, dirty))
      return
    }
    for (const view of dirty) {
      view.trim()
      if (view.isEmpty) this.#holding.delete(view)
    }
  }

  #offer(view: View<CacheWatcher>, event: CacheEvent): void {
    const seen = select(view.filter, event)
    if (seen === undefined) return
    view.push(seen)
    this.#holding.add(view)
    this.#dirty.add(view)
  }

  #open(filter: Filter): View<CacheWatcher> {
    const view = new View<CacheWatcher>(filter)
    this.#views.set(filter.key, view)
    const { index } = filter
    if (index === undefined || this.#indexes[index.field] === undefined) this.#plain.add(view)
    else this.#enlist(view, index)
    return view
  }

  #enlist(view: View<CacheWatcher>, index: { readonly field: string; readonly value: string }): void {
    const values = this.#indexed.get(index.field) ?? new Map<string, Set<View<CacheWatcher>>>()
    this.#indexed.set(index.field, values)
    const views = values.get(index.value) ?? new Set<View<CacheWatcher>>()
    values.set(index.value, views)
    views.add(view)
  }

  #unlist(view: View<CacheWatcher>): void {
    const { index } = view.filter
    const values = index && this.#indexed.get(index.field)
    const views = index && values?.get(index.value)
    if (index === undefined || values === undefined || views === undefined) return
    views.delete(view)
    if (views.size === 0) values.delete(index.value)
    if (values.size === 0) this.#indexed.delete(index.field)
  }
}
