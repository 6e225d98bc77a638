import type { Revision } from '../../storage/store.ts'
import type { CacheEvent } from './cache-event.ts'
import type { Holder, MemoryBudget } from './memory-budget.ts'

/** The latest events, up to this many (and so many bytes), keep their decoded objects: watchers are likely to read them. */
const FRESH = 256
const FRESH_BYTES = 512 * 1024
/** The weight of an event without the state that it replaced. */
const EVENT_BYTES = 256
/** The part that is dropped at once when there is no room, so that making room is rare. */
const PART = 16

export interface HistoryInit {
  /** Most events, whatever their size. */
  readonly capacity: number
  /** Bounds the bytes of all histories together. */
  readonly budget: MemoryBudget
  /** Events after this revision are complete. */
  readonly floor: Revision
  /** True if present objects are rarely read as objects (events are only written and listed): then they keep their bytes only. */
  readonly cools?: boolean
  /** Called when the floor rises: nothing up to it may be kept anywhere. */
  readonly onForget?: (floor: Revision) => void
}

/** The latest events of one resource, oldest first, bounded in number, in bytes (shared with the other histories) and in age. */
export class History implements Holder {
  readonly #init: HistoryInit
  #events: CacheEvent[] = []
  #floor: Revision
  #bytes = 0
  /** Index of the first event that keeps its decoded objects. */
  #fresh = 0
  #freshBytes = 0

  constructor(init: HistoryInit) {
    this.#init = init
    this.#floor = init.floor
    init.budget.join(this)
  }

  /** Events after this revision can be replayed. */
  get floor(): Revision {
    return this.#floor
  }

  /** Most events that it keeps. */
  get capacity(): number {
    return this.#init.capacity
  }

  get heldBytes(): number {
    return this.#bytes
  }

  push(event: CacheEvent): void {
    this.#events.push(event)
    const weight = weightOf(event)
    this.#bytes += weight
    this.#freshBytes += weight
    this.#age()
    if (this.#events.length > this.#init.capacity) this.#forget(Math.ceil(this.#init.capacity / PART))
    this.#init.budget.changed(weight)
  }

  /** Drops a part, oldest first. */
  shrink(): void {
    const goal = this.#bytes - Math.max(1, this.#bytes / PART)
    let left = this.#bytes
    let end = 0
    while (left > goal && end < this.#events.length) left -= weightOf(this.#events[end++])
    this.#forget(end)
  }

  /** Drops events up to and including the revision. */
  forgetUpTo(revision: Revision): void {
    this.#forget(this.#indexAfter(revision))
  }

  /**
   * The first events after `revision`: at most `limit`, and about `maxBytes` (at least one event). `more`: others follow. Undefined if some
   * of them were dropped.
   */
  after(
    revision: Revision,
    limit: number,
    limitBytes = Number.POSITIVE_INFINITY,
  ): { events: readonly CacheEvent[]; more: boolean } | undefined {
    if (revision < this.#floor) return undefined
    const from = this.#indexAfter(revision)
    let to = from
    for (let bytes = 0; to < this.#events.length && to - from < limit && bytes < limitBytes; to++) bytes += weightOf(this.#events[to])
    // Readers continue behind a revision, so its events (a lease that ends deletes many keys at once) stay together.
    while (to > from && this.#events[to]?.revision === this.#events[to - 1]?.revision) to++
    return { events: this.#events.slice(from, to), more: to < this.#events.length }
  }

  /** The events of one object, oldest first. */
  of(key: string): readonly CacheEvent[] {
    return this.#events.filter(({ item }) => item.key === key)
  }

  /** Drops everything: events after this revision will be complete. */
  restart(floor: Revision): void {
    this.#init.budget.changed(-this.#bytes)
    this.#events = []
    this.#floor = floor
    this.#bytes = 0
    this.#fresh = 0
    this.#freshBytes = 0
  }

  #indexAfter(revision: Revision): number {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Replaced states are rarely read again: they keep their bytes, and the object is decoded again when needed. */
  #age(): void {
    while (this.#fresh < this.#events.length && (this.#events.length - this.#fresh > FRESH || this.#freshBytes > FRESH_BYTES)) {
      const event = this.#events[this.#fresh++]
      this.#freshBytes -= weightOf(event)
      event?.previous?.forget()
      if (event?.kind === 'delete') event.item.forget()
      else if (this.#init.cools === true) event?.item.cool()
    }
  }

  #forget(end: number): void {
    if (end === 0) return
    this.#floor = this.#events[end - 1]?.revision ?? this.#floor
    let freed = 0
    for (let i = 0; i < end; i++) {
      freed += weightOf(this.#events[i])
      if (i >= this.#fresh) this.#freshBytes -= weightOf(this.#events[i])
    }
    this.#events = this.#events.slice(end)
    this.#fresh = Math.max(0, this.#fresh - end)
    this.#bytes -= freed
    this.#init.budget.changed(-freed)
    this.#init.onForget?.(this.#floor)
  }
}

/** Only the history holds the state that an event replaced; the new state is held by the present tree anyway. */
const weightOf = (event: CacheEvent | undefined) => EVENT_BYTES + (event?.previous?.sizeBytes ?? 0)
