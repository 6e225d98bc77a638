import type { Later } from '../../base/steps.ts'
import type { Revision } from '../../storage/store.ts'
import type { ViewEvent } from './cache-event.ts'
import type { Filter } from './view.ts'

/**
 * Events that are sent together. Watchers of one view share batches, and through `memo` the bytes rendered from them. If rendering takes
 * time, its promise is put there first, so that it is done once.
 */
export interface Batch {
  readonly events: readonly ViewEvent[]
  readonly memo: Map<string, Later<Buffer>>
}

/** A batch ends at this many events, or at so many bytes. */
export const BATCH_EVENTS = 512
export const BATCH_BYTES = 256 * 1024
/** Most events that are kept for slow watchers before they have to read the history. */
const LOG_EVENTS = 4096
const LOG_BYTES = 4 * 1024 * 1024

/** A reader of a view's log. */
export interface Reader {
  /** The sequence number of the next event to take; undefined while it does not read the log. */
  readonly cursor: number | undefined
  /** Removes it from the log: it continues from the history. */
  lag(): void
}

/** The watchers of one filter, and the events that some of them have not taken yet. */
export class View<R extends Reader> {
  readonly filter: Filter
  readonly watchers = new Set<R>()
  #log: ViewEvent[] = []
  #bytes = 0
  /** The sequence number of the first event in the log. */
  #start = 0
  #batch: { from: number; to: number; batch: Batch } | undefined

  constructor(filter: Filter) {
    this.filter = filter
  }

  get end(): number {
    return this.#start + this.#log.length
  }

  get isEmpty(): boolean {
    return this.#log.length === 0
  }

  at(sequence: number): ViewEvent | undefined {
    return this.#log[sequence - this.#start]
  }

  push(event: ViewEvent): void {
    this.#log.push(event)
    this.#bytes += weightOf(event)
  }

  batch(from: number): Batch {
    const most = Math.min(this.end, from + BATCH_EVENTS)
    let to = from
    for (let bytes = 0; to < most && bytes < BATCH_BYTES; to++) bytes += weightOf(this.at(to))
    // A watcher's position is a revision: its events stay together.
    while (to < this.end && this.at(to)?.revision === this.at(to - 1)?.revision) to++
    if (this.#batch?.from !== from || this.#batch.to !== to) {
      this.#batch = { from, to, batch: { events: this.#log.slice(from - this.#start, to - this.#start), memo: new Map() } }
    }
    return this.#batch.batch
  }

  /** Drops the events that every watcher has taken. A watcher that holds back too many becomes lagging. */
  trim(): void {
    const least = this.#leastToKeep()
    let first = this.end
    for (const w of this.watchers) {
      if (w.cursor === undefined) continue
      if (w.cursor < least) w.lag()
      else if (w.cursor < first) first = w.cursor
    }
    this.#dropTo(first)
  }

  /** Keeps nothing up to this revision: a watcher that has not taken it becomes lagging. */
  forget(floor: Revision): void {
    const first = this.#log[0]
    if (first === undefined || first.revision > floor) return
    const kept = this.#log.findIndex((e) => e.revision > floor)
    const from = kept < 0 ? this.end : this.#start + kept
    for (const w of this.watchers) if (w.cursor !== undefined && w.cursor < from) w.lag()
    this.#dropTo(from)
  }

  /** The sequence number from which on the log is within its limits. */
  #leastToKeep(): number {
    if (this.#log.length <= LOG_EVENTS && this.#bytes <= LOG_BYTES) return this.#start
    let from = this.end
    for (let bytes = 0; from > this.#start && this.end - from < LOG_EVENTS / 2; from--) {
      bytes += weightOf(this.at(from - 1))
      if (bytes > LOG_BYTES / 2) break
    }
    return from
  }

  #dropTo(from: number): void {
    if (from === this.end) {
      this.#log = []
      this.#bytes = 0
      this.#batch = undefined
    } else {
      for (const event of this.#log.splice(0, from - this.#start)) this.#bytes -= weightOf(event)
    }
    this.#start = from
  }
}

const EVENT_BYTES = 64
export const weightOf = (event: ViewEvent | undefined) => EVENT_BYTES + (event?.item.sizeBytes ?? 0)
