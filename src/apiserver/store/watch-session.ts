import type { Cancel, Clock } from '../../base/clock.ts'
import { nextTurn } from '../../base/turns.ts'
import type { Status } from '../../machinery/status-error.ts'
import { expired } from '../../machinery/status-error.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Filter } from '../cache/view.ts'
import { BATCH_BYTES, BATCH_EVENTS } from '../cache/view-log.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import type { Batch, CacheWatcher } from '../cache/watchers.ts'

/** What a watch says next. */
export type WatchStep =
  | { readonly kind: 'events'; readonly batch: Batch }
  /** Everything up to `revision` was told; `initial`: and with it the state at the beginning. */
  | { readonly kind: 'bookmark'; readonly revision: number; readonly initial: boolean }
  | { readonly kind: 'error'; readonly status: Status }
  | { readonly kind: 'end' }

/** How a watch begins, and how long it goes. */
export interface WatchStart {
  readonly filter: Filter
  /** Tell the present state first; or else everything after this revision. */
  readonly from: 'now' | number
  /** Begin with the present state as ADDED events; only with `now`. */
  readonly initialEvents: boolean
  /** End the initial events with a bookmark. */
  readonly initialBookmark: boolean
  readonly bookmarks: boolean
  readonly timeoutMs: number
  /** Say only this, and end. */
  readonly failure?: Status
}

interface WatchInit extends WatchStart {
  readonly watchCache: Pick<WatchCache, 'revision'>
  readonly cache: ResourceCache
  readonly clock: Clock
}

const BOOKMARK_MS = 60_000

/** One watch in progress, pulled by whoever writes it out: `next` until it has nothing, then again when `ready` was called. */
export interface WatchSession {
  /** Who is to be called when there may be more. */
  onReady(ready: () => void): void
  next(): WatchStep | undefined
  /** Ends it; who writes it out need not be told. */
  close(): void
}

/** A watch of what stands in a cache. */
export class CacheWatchSession implements WatchSession {
  readonly #init: WatchInit
  readonly #watcher: CacheWatcher
  readonly #timers: Cancel[] = []
  #initial: StoredObject[]
  #initialAt = 0
  #initialBookmark: boolean
  #initialRevision: number
  #bookmarkDue = false
  #over = false
  #ended = false
  #failure: Status | undefined
  #ready: () => void = () => {}

  constructor(init: WatchInit) {
    this.#init = init
    const { watchCache, cache } = init
    this.#failure = init.failure
    this.#initialRevision = watchCache.revision
    this.#initial = init.from === 'now' && init.initialEvents ? cache.candidates(init.filter) : []
    this.#initialBookmark = init.initialBookmark
    this.#watcher = cache.watchers.add(init.filter, init.from === 'now' ? watchCache.revision : init.from, () => this.#ready())
    this.#timers.push(init.clock.after(init.timeoutMs, () => this.#finish()))
    if (init.bookmarks) this.#scheduleBookmark()
  }

  onReady(ready: () => void): void {
    this.#ready = ready
  }

  next(): WatchStep | undefined {
    if (this.#over) return this.#ended ? undefined : this.#end()
    if (this.#failure !== undefined) return this.#fail(this.#failure)
    if (this.#watcher.ends === 'now') return this.#end()
    if (this.#initialAt < this.#initial.length) {
      const chunk = this.#initialChunk()
      // Others have their turn before the search goes on.
      if (chunk === undefined && this.#initialAt < this.#initial.length) {
        nextTurn(() => this.#ready())
        return undefined
      }
      if (chunk !== undefined) return chunk
    }
    if (this.#initialBookmark) {
      this.#initialBookmark = false
      return { kind: 'bookmark', revision: this.#initialRevision, initial: true }
    }
    const batch = this.#watcher.take()
    if (batch === 'forgotten') {
      return this.#fail(expired(`too old resource version: ${this.#watcher.position} (${this.#init.cache.history.floor})`).status)
    }
    if (batch !== undefined) return { kind: 'events', batch }
    if (this.#watcher.ends === 'told' && this.#watcher.current) return this.#end()
    const { revision } = this.#init.watchCache
    // Who began in the future is told of no revision before it.
    if (!this.#bookmarkDue || revision < this.#watcher.position) return undefined
    this.#bookmarkDue = false
    return { kind: 'bookmark', revision, initial: false }
  }

  /** The next of the first events; undefined when none was found among those that were looked at. */
  #initialChunk(): WatchStep | undefined {
    const { matches } = this.#init.filter
    let end = this.#initialAt
    const found: StoredObject[] = []
    for (let bytes = 0; end < this.#initial.length && end - this.#initialAt < BATCH_EVENTS && bytes < BATCH_BYTES; end++) {
      const item = this.#initial[end]
      if (item === undefined) continue
      bytes += item.sizeBytes
      if (matches === undefined || matches(item)) found.push(item)
    }
    this.#initialAt = end
    if (end >= this.#initial.length) {
      this.#initial = []
      this.#initialAt = 0
    }
    return found.length === 0 ? undefined : { kind: 'events', batch: this.#init.cache.initialBatch(found, 0) }
  }

  #scheduleBookmark(): void {
    this.#timers[1] = this.#init.clock.after(BOOKMARK_MS, () => {
      this.#bookmarkDue = true
      this.#ready()
      this.#scheduleBookmark()
    })
  }

  #fail(status: Status): WatchStep {
    this.#over = true
    this.close()
    return { kind: 'error', status }
  }

  #end(): WatchStep {
    this.close()
    this.#over = true
    this.#ended = true
    return { kind: 'end' }
  }

  #finish(): void {
    this.close()
    this.#over = true
    this.#ready()
  }

  close(): void {
    for (const cancel of this.#timers) cancel()
    this.#watcher.close()
  }
}
