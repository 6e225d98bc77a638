import type { Clock } from '../../base/clock.ts'
import type { Revision } from '../../storage/store.ts'

interface Waiter {
  readonly revision: Revision
  readonly resolve: (reached: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Who waits until the caches have seen a revision. Each is answered by itself: in time, too late, or with the reason why it never will be. */
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

  /** How many wait. */
  get size(): number {
    return this.#waiting.size
  }

  /** Resolves when the revision has been seen (undefined: it has been); rejects when it never will be. */
  until(revision: Revision): Promise<unknown> | undefined {
    this.assertAlive()
    return revision > this.#seen ? this.#wait(revision) : undefined
  }

  /** False when the revision has not been seen in time. */
  async reach(revision: Revision, timeoutMs: number): Promise<boolean> {
    if (revision <= this.#seen) return true
    this.assertAlive()
    return this.#wait(revision, timeoutMs)
  }

  /** Everything up to here has been seen. */
  advance(revision: Revision): void {
    this.#seen = revision
    for (const waiter of this.#waiting) {
      if (waiter.revision > revision) continue
      this.#waiting.delete(waiter)
      waiter.resolve(true)
    }
  }

  /** Nothing more will be seen: whoever waits, or comes, is told why. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    for (const waiter of this.#waiting) waiter.reject(error)
    this.#waiting.clear()
  }

  /** Throws why nothing more will be seen, if that is so. */
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
