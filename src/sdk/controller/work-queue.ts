import { type Cancel, type Clock, systemClock } from '../../base/clock.ts'

/** How long keys that failed have to wait. */
export interface WorkQueueOptions {
  /** Default: the machine's. */
  readonly clock?: Clock
  /** The first wait after a failure, in milliseconds; it doubles with each. Default 5. */
  readonly firstMs?: number
  /** The longest wait after a failure, in milliseconds. Default 1,000,000. */
  readonly maxMs?: number
}

/**
 * Keys to work on. A key waiting twice is worked on once; a key added while it is being worked on comes again after `done`,
 * so no key is ever in two hands. Usually fed by the handlers of informers, and emptied by `runController`.
 *
 * ```ts
 * const queue = new WorkQueue()
 * queue.add('default/web')
 * const key = await queue.take()
 * if (key !== undefined) queue.done(key)
 * ```
 */
export class WorkQueue {
  readonly #clock: Clock
  readonly #firstMs: number
  readonly #maxMs: number
  /** Waiting keys in order; those being worked on are not in it. */
  readonly #ready = new Set<string>()
  readonly #working = new Set<string>()
  readonly #again = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #delayed = new Map<string, { at: number; cancel: Cancel }>()
  readonly #takers: ((key: string | undefined) => void)[] = []
  #closed = false

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock
    this.#firstMs = options.firstMs ?? 5
    this.#maxMs = options.maxMs ?? 1_000_000
  }

  /** How many keys wait now (delayed ones not counted). */
  get size(): number {
    return this.#ready.size
  }

  /** True when nothing waits, nothing is delayed and nothing is being worked on. */
  get idle(): boolean {
    return this.#ready.size === 0 && this.#working.size === 0 && this.#delayed.size === 0
  }

  /** Puts the key in, unless it waits already. A closed queue takes nothing. */
  add(key: string): void {
    if (this.#closed) return
    if (this.#working.has(key)) {
      this.#again.add(key)
      return
    }
    const taker = this.#takers.shift()
    if (taker === undefined) {
      this.#ready.add(key)
      return
    }
    this.#working.add(key)
    taker(key)
  }

  /** Adds the key after a while; of several waits for one key the earliest counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return
    if (delayMs <= 0) {
      this.add(key)
      return
    }
    const at = this.#clock.monotonic() + delayMs
    const waiting = this.#delayed.get(key)
    if (waiting !== undefined && waiting.at <= at) return
    waiting?.cancel()
    const cancel = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key)
      this.add(key)
    })
    this.#delayed.set(key, { at, cancel })
  }

  /** Adds the key after a wait that grows with each failure. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    this.addAfter(key, Math.min(this.#maxMs, this.#firstMs * 2 ** Math.min(failures, 60)))
  }

  /** How often in a row the key has failed. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  /** The key succeeded, or is given up: its next failure waits the shortest time again. */
  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** The next key, when there is one; undefined when the queue was closed. Each key taken must be given back by `done`. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined)
    for (const key of this.#ready) {
      this.#ready.delete(key)
      this.#working.add(key)
      return Promise.resolve(key)
    }
    return new Promise((resolve) => {
      this.#takers.push(resolve)
    })
  }

  /** Gives back a key that was taken; if it was added meanwhile, it waits again. */
  done(key: string): void {
    this.#working.delete(key)
    if (this.#again.delete(key)) this.add(key)
  }

  /** Forgets what waits; whoever waits in `take` gets undefined. */
  close(): void {
    this.#closed = true
    for (const { cancel } of this.#delayed.values()) cancel()
    this.#delayed.clear()
    this.#ready.clear()
    for (const taker of this.#takers.splice(0)) taker(undefined)
  }
}
