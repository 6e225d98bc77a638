import type { Cancel, Clock } from '../../base/clock.ts'
import { nextTurn } from '../../base/turns.ts'
import type { Status } from '../../machinery/status-error.ts'
import { expired } from '../../machinery/status-error.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Filter } from '../cache/view.ts'
import { BATCH_BYTES, BATCH_EVENTS } from '../cache/view-log.ts'
import type { Batch, CacheWatcher } from '../cache/watchers.ts'

/** The next step of a watch. */
export type WatchStep =
  | { readonly kind: 'events'; readonly batch: Batch }
  /** Everything up to `revision` was sent; `initial`: this includes the initial state. */
  | { readonly kind: 'bookmark'; readonly revision: number; readonly initial: boolean }
  | { readonly kind: 'error'; readonly status: Status }
  | { readonly kind: 'end' }

/** The start and duration of a watch. */
export interface WatchStart {
  readonly filter: Filter
  /** Begin with the present state, or with the changes after this revision. */
  readonly from: 'now' | number
  /** Begin with the present state as ADDED events; only with `now`. */
  readonly initialEvents: boolean
  /** End the initial events with a bookmark. */
  readonly initialBookmark: boolean
  readonly bookmarks: boolean
  readonly timeoutMs: number
  /** Send this error only, and end. */
  readonly failure?: Status
}

interface WatchInit extends WatchStart {
  readonly cache: ResourceCache
  /** Whether Kubernetes would watch them in its cache (`isCached`). */
  readonly cached: boolean
  readonly clock: Clock
}

const BOOKMARK_MS = 60_000

/** One watch in progress, read by its writer: call `next` until it returns nothing, and again after `ready` was called. */
export interface WatchSession {
  /** Sets the function that is called when there may be more. */
  onReady(ready: () => void): void
  next(): WatchStep | undefined
  /** Events that wait for the reader; undefined: it reads the history to catch up. */
  readonly pending: number | undefined
  /** Ends the watch as when its time is up: the next step is its last. */
  finish(): void
  /** Ends the watch without calling `ready`. */
  close(): void
}

/** A watch of the objects in a cache. */
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
    const { cache } = init
    this.#failure = init.failure
    this.#initialRevision = cache.revision
    this.#initial = init.from === 'now' && init.initialEvents ? cache.candidates(init.filter) : []
    this.#initialBookmark = init.initialBookmark
    this.#watcher = cache.watchers.add(init.filter, init.from === 'now' ? cache.revision : init.from, () => this.#ready())
    this.#timers.push(init.clock.after(init.timeoutMs, () => this.finish(), 'heartbeat'))
    if (init.bookmarks) this.#scheduleBookmark()
  }

  onReady(ready: () => void): void {
    this.#ready = ready
  }

  get pending(): number | undefined {
    return this.#watcher.pending
  }

  next(): WatchStep | undefined {
    if (this.#over) return this.#ended ? undefined : this.#end()
    if (this.#failure !== undefined) return this.#fail(this.#failure)
    if (this.#watcher.ends === 'at-once') return this.#end()
    if (this.#initialAt < this.#initial.length) {
      const chunk = this.#initialChunk()
      // Other work gets a turn before the search continues.
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
    if (batch === 'forgotten') return this.#fail(expired(this.#tooOld()).status)
    if (batch !== undefined) return { kind: 'events', batch }
    if (this.#watcher.ends === 'after-backlog' && this.#watcher.current) return this.#end()
    const { revision } = this.#init.cache
    // A watch from a future revision gets no bookmark before that.
    if (!this.#bookmarkDue || revision < this.#watcher.position) return undefined
    this.#bookmarkDue = false
    return { kind: 'bookmark', revision, initial: false }
  }

  /** The next initial events; undefined if none matched in this turn. */
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
    this.#timers[1] = this.#init.clock.after(
      BOOKMARK_MS,
      () => {
        this.#bookmarkDue = true
        this.#ready()
        this.#scheduleBookmark()
      },
      'heartbeat',
    )
  }

  #tooOld(): string {
    const { cached, cache } = this.#init
    if (!cached) return 'The resourceVersion for the provided watch is too old.'
    return `too old resource version: ${this.#watcher.position} (${cache.history.floor})`
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

  finish(): void {
    this.close()
    this.#over = true
    this.#ready()
  }

  close(): void {
    for (const cancel of this.#timers) cancel()
    this.#watcher.close()
  }
}
