import { causingRevision } from '../../base/cause.ts'
import { type Cancel, type Clock, systemClock } from '../../base/clock.ts'
import { TokenBucket } from '../../base/token-bucket.ts'

/** How long keys that failed have to wait. */
export interface WorkQueueOptions {
  /** Default: the machine's. */
  readonly clock?: Clock
  /** The first wait after a failure, in milliseconds; it doubles with each. Default 5. */
  readonly firstMs?: number
  /** The longest wait after a failure, in milliseconds. Default 1,000,000. */
  readonly maxMs?: number
  /** All failures together come back no faster than this; of the two waits the longer counts. Default: no limit. */
  readonly bucket?: { readonly perSecond: number; readonly burst: number }
  /** Called for metrics. Default: none. */
  readonly observer?: QueueObserver
}

/** Notifications of a queue, for metrics. */
export interface QueueObserver {
  /** So many keys wait now. */
  depth(keys: number): void
  /** A key was put in that did not wait already. */
  added(): void
  /** A key failed and comes again. */
  retried(): void
  /** A key was taken after this wait. */
  taken(waitedMs: number): void
  /** A key was given back after this long. */
  worked(workedMs: number): void
}

/** The keys of a queue, each list with so many at most. */
export interface QueuedKeys {
  readonly working: readonly string[]
  readonly waiting: readonly string[]
  /** With the milliseconds until they wait. */
  readonly delayed: readonly (readonly [key: string, inMs: number])[]
  readonly counts: { readonly working: number; readonly waiting: number; readonly delayed: number }
}

/**
 * A queue of keys. A key that is added twice is processed once. A key that is added while it is being processed is queued again after
 * `done`, so no key is processed twice at once. Usually the handlers of informers add keys, and `runController` takes them.
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
  readonly #bucket: TokenBucket | undefined
  #observer: QueueObserver | undefined
  /** When a key began to wait, or to be worked on; kept for the observer only. */
  readonly #since = new Map<string, number>()
  /** Waiting keys in order; those being worked on are not in it. */
  readonly #ready = new Set<string>()
  #walk = this.#ready.values()
  readonly #working = new Set<string>()
  readonly #again = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #delayed = new Map<string, { at: number; cancel: Cancel }>()
  /** Of keys that are to be worked on: the revision of the event for which they were put in last. */
  readonly #causes = new Map<string, string>()
  readonly #takers: ((key: string | undefined) => void)[] = []
  #closed = false

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock
    this.#firstMs = options.firstMs ?? 5
    this.#maxMs = options.maxMs ?? 1_000_000
    this.#bucket = options.bucket && new TokenBucket(options.bucket, this.#clock)
    this.#observer = options.observer
  }

  /** Calls the observer from now on, besides the one it was made with. */
  observe(observer: QueueObserver): void {
    this.#observer = this.#observer === undefined ? observer : bothObservers(this.#observer, observer)
    observer.depth(this.#ready.size)
  }

  /** How many keys wait now (delayed ones not counted). */
  get size(): number {
    return this.#ready.size
  }

  /** True when nothing waits, nothing is delayed and nothing is being worked on. */
  get idle(): boolean {
    return this.#ready.size === 0 && this.#working.size === 0 && this.#delayed.size === 0
  }

  /** The keys that are in it now. */
  keys(most: number): QueuedKeys {
    const now = this.#clock.monotonic()
    const delayed = Array.from(this.#delayed, ([key, { at }]) => [key, Math.max(0, at - now)] as const)
    return {
      working: [...this.#working].slice(0, most),
      waiting: [...this.#ready].slice(0, most),
      delayed: delayed.sort(([, a], [, b]) => a - b).slice(0, most),
      counts: { working: this.#working.size, waiting: this.#ready.size, delayed: delayed.length },
    }
  }

  /** Puts the key in, unless it waits already. A closed queue takes nothing. */
  add(key: string): void {
    if (this.#closed) return
    this.#noteCause(key)
    if (this.#working.has(key)) {
      if (!this.#again.has(key)) this.#observer?.added()
      this.#again.add(key)
      return
    }
    if (this.#ready.has(key)) return
    this.#observer?.added()
    this.#enqueue(key)
  }

  #noteCause(key: string): void {
    const revision = causingRevision()
    if (revision !== undefined) this.#causes.set(key, revision)
  }

  #enqueue(key: string): void {
    const taker = this.#takers.shift()
    if (taker === undefined) {
      this.#ready.add(key)
      this.#waits(key)
      return
    }
    this.#working.add(key)
    this.#begins(key)
    taker(key)
  }

  /** Adds the key after a while; of several waits for one key the earliest counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return
    if (delayMs <= 0) {
      this.add(key)
      return
    }
    this.#noteCause(key)
    const at = this.#clock.monotonic() + delayMs
    const waiting = this.#delayed.get(key)
    if (waiting !== undefined && waiting.at <= at) return
    waiting?.cancel()
    const due = () => {
      this.#delayed.delete(key)
      this.add(key)
    }
    const cancel = this.#clock.after(delayMs, due, 'work')
    this.#delayed.set(key, { at, cancel })
  }

  /** Adds the key after a wait that grows with each failure. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    this.#observer?.retried()
    const ownMs = Math.min(this.#maxMs, this.#firstMs * 2 ** Math.min(failures, 60))
    this.addAfter(key, Math.max(ownMs, this.#bucket?.reserveMs() ?? 0))
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
    const key = this.#first()
    if (key !== undefined) {
      this.#ready.delete(key)
      this.#working.add(key)
      this.#begins(key)
      return Promise.resolve(key)
    }
    return new Promise((resolve) => {
      this.#takers.push(resolve)
    })
  }

  /**
   * The resourceVersion of the event for which the key was put in last; undefined if it was put in otherwise. Call it once, when the key
   * was taken.
   */
  takeCause(key: string): string | undefined {
    const revision = this.#causes.get(key)
    this.#causes.delete(key)
    return revision
  }

  /** The key that has waited longest. The walk continues at its last position: a walk from the start would pass all removed keys. */
  #first(): string | undefined {
    const next = this.#walk.next()
    if (next.done !== true) return next.value
    this.#walk = this.#ready.values()
    return this.#walk.next().value
  }

  /** Gives back a key that was taken; if it was added meanwhile, it waits again. */
  done(key: string): void {
    this.#working.delete(key)
    if (this.#observer !== undefined) {
      this.#observer.worked(this.#clock.monotonic() - (this.#since.get(key) ?? 0))
      this.#since.delete(key)
    }
    if (this.#again.delete(key) && !this.#closed) this.#enqueue(key)
  }

  #waits(key: string): void {
    if (this.#observer === undefined) return
    this.#since.set(key, this.#clock.monotonic())
    this.#observer.depth(this.#ready.size)
  }

  #begins(key: string): void {
    if (this.#observer === undefined) return
    const now = this.#clock.monotonic()
    this.#observer.taken(now - (this.#since.get(key) ?? now))
    this.#since.set(key, now)
    this.#observer.depth(this.#ready.size)
  }

  /** Drops waiting keys; pending calls of `take` resolve with undefined. */
  close(): void {
    this.#closed = true
    for (const { cancel } of this.#delayed.values()) cancel()
    this.#delayed.clear()
    this.#ready.clear()
    this.#causes.clear()
    for (const taker of this.#takers.splice(0)) taker(undefined)
  }
}

const bothObservers = (a: QueueObserver, b: QueueObserver): QueueObserver => ({
  depth(keys) {
    a.depth(keys)
    b.depth(keys)
  },
  added() {
    a.added()
    b.added()
  },
  retried() {
    a.retried()
    b.retried()
  },
  taken(waitedMs) {
    a.taken(waitedMs)
    b.taken(waitedMs)
  },
  worked(workedMs) {
    a.worked(workedMs)
    b.worked(workedMs)
  },
})
