import type { Revision } from '../../storage/store.ts'
import type { CacheEvent } from './cache-event.ts'

/** So many events are likely to be read by somebody as objects. */
const FRESH = 256

/** The latest events of one resource, oldest first, at most `capacity`. */
export class History {
  readonly #capacity: number
  #events: CacheEvent[] = []
  #start = 0
  #floor: Revision

  /** `floor`: everything after this revision is known. */
  constructor(capacity: number, floor: Revision) {
    this.#capacity = capacity
    this.#floor = floor
  }

  /** Events after this revision (and none before) can be replayed. */
  get floor(): Revision {
    return this.#floor
  }

  push(event: CacheEvent): void {
    this.#events.push(event)
    // What stands no more is rarely looked at again: its bytes do, and the decoded object is made anew for those who ask.
    this.#events[this.#events.length - FRESH]?.previous?.forget()
    if (this.#events.length - this.#start <= this.#capacity) return
    this.#floor = this.#events[this.#start]?.revision ?? this.#floor
    this.#start++
    if (this.#start >= this.#capacity) {
      this.#events = this.#events.slice(this.#start)
      this.#start = 0
    }
  }

  /** At most `limit` events after `revision`; undefined when some of them are forgotten. */
  after(revision: Revision, limit: number): readonly CacheEvent[] | undefined {
    if (revision < this.#floor) return undefined
    let low = this.#start
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    return this.#events.slice(low, low + limit)
  }
}
