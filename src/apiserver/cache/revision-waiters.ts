import type { Clock } from '../../base/clock.ts'
import type { Revision } from '../../storage/store.ts'

interface Waiter {
  readonly revision: Revision
  readonly resolve: (reached: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Requests that wait until the caches have reached a revision. Each is resolved on its own: reached, timed out, or rejected because it
 * never will be.
 */
export class RevisionWaiters {
  readonly #clock: Clock
  readonly #waiting = new Set<Waiter>()
  #seen: Revision
  #failure: { readonly error: unknown } | undefined

  constructor(seen: Revision, clock: Clock) {
    this.#seen = seen
    this.#clock = clock
  }

  get seen(): Revision {
    return this.#seen
  }

  /** The number of waiters. */
  get size(): number {
    return this.#waiting.size
  }

  /** Resolves when the revision is reached (undefined: it is already); rejects if it never will be. */
  until(revision: Revision): Promise<unknown> | undefined {
    this.assertAlive()
    return revision > this.#seen ? this.#wait(revision) : undefined
  }

  /** Returns false if the revision is not reached in time. */
  async reach(revision: Revision, timeoutMs: number): Promise<boolean> {
    if (revision <= this.#seen) return true
    this.assertAlive()
    return this.#wait(revision, timeoutMs)
  }

  /** Everything up to this revision has been seen. */
  advance(revision: Revision): void {
    this.#seen = revision
    for (const waiter of this.#waiting) {
      if (waiter.revision > revision) continue
      this.#waiting.delete(waiter)
      waiter.resolve(true)
    }
  }

  /** Starts again at this revision, after a gap in the events: all waiters are rejected with the error. */
  restart(revision: Revision, error: unknown): void {
    this.#seen = revision
    for (const waiter of this.#waiting) waiter.reject(error)
    this.#waiting.clear()
  }

  /** No further revision will be seen: present and later waiters are rejected with the error. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    for (const waiter of this.#waiting) waiter.reject(error)
    this.#waiting.clear()
  }

  /** Throws that error, if there is one. */
  assertAlive(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #wait(revision: Revision, timeoutMs?: number): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const waiter: Waiter = { revision, resolve, reject }
    this.#waiting.add(waiter)
    if (timeoutMs === undefined) return promise
    const cancel = this.#clock.after(timeoutMs, () => {
      this.#waiting.delete(waiter)
      resolve(false)
    })
    return promise.finally(cancel)
  }
}
