import type { Revision } from '../../storage/store.ts'
import type { CacheEvent } from './cache-event.ts'
import type { Holder, MemoryBudget } from './memory-budget.ts'

/** So many events, of so many bytes together, are likely to be read by somebody as objects. */
const FRESH = 256
const FRESH_BYTES = 512 * 1024
/** What an event weighs beside the state that it replaced. */
const EVENT_BYTES = 256
/** What goes at once when there is no room: a part of the whole, so that making room is rare. */
const PART = 16

export interface HistoryInit {
  /** Events, whatever they weigh. */
  readonly capacity: number
  /** Bounds the bytes of this and all other histories. */
  readonly budget: MemoryBudget
  /** Everything after this revision is known. */
  readonly floor: Revision
  /** What stands is rarely looked at as objects, too (events are written and listed): it keeps its bytes. */
  readonly cools?: boolean
  /** The floor rose: nothing up to it is to be kept anywhere. */
  readonly onForget?: (floor: Revision) => void
}

/** The latest events of one resource, oldest first: bounded in number, in bytes (with all others together), and by age. */
export class History implements Holder {
  readonly #init: HistoryInit
  #events: CacheEvent[] = []
  #floor: Revision
  #bytes = 0
  /** From here on events keep their decoded objects. */
  #fresh = 0
  #freshBytes = 0

  constructor(init: HistoryInit) {
    this.#init = init
    this.#floor = init.floor
    init.budget.join(this)
  }

  /** Events after this revision (and none before) can be replayed. */
  get floor(): Revision {
    return this.#floor
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

  /** Forgets a part of what it holds: the oldest. */
  shrink(): void {
    const goal = this.#bytes - Math.max(1, this.#bytes / PART)
    let left = this.#bytes
    let end = 0
    while (left > goal && end < this.#events.length) left -= weightOf(this.#events[end++])
    this.#forget(end)
  }

  /** Forgets what is not newer than the revision. */
  forgetUpTo(revision: Revision): void {
    this.#forget(this.#indexAfter(revision))
  }

  /**
   * The first events after `revision`, at most `limit` of them and of about so many bytes (at least one); `more`: others follow. Undefined when some of
   * them are forgotten.
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
    return { events: this.#events.slice(from, to), more: to < this.#events.length }
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

  /** What stands no more is rarely looked at again: its bytes do, and the decoded object is made anew for those who ask. */
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

/** The state that an event replaced is held for the past alone; the new one stands. */
const weightOf = (event: CacheEvent | undefined) => EVENT_BYTES + (event?.previous?.sizeBytes ?? 0)
