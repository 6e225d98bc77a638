import type { Clock } from '../../base/clock.ts'

const FIRST_MS = 1_000
const MOST_MS = 15 * 60_000

/**
 * How long a failed pod stays before it is replaced, as upstream: 1 s, doubling up to 15 minutes; forgotten after twice that without a
 * failure.
 */
export class FailedPodsBackOff {
  readonly #clock: Pick<Clock, 'now'>
  readonly #entries = new Map<string, { readonly waitMs: number; readonly sinceMs: number }>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** 0: replace it now; the next wait is twice as long. Else how long it stays. `key` names the set, its revision and the node. */
  waitMs(key: string): number {
    const now = this.#clock.now()
    for (const [known, { sinceMs }] of this.#entries) if (now - sinceMs > 2 * MOST_MS) this.#entries.delete(known)
    const entry = this.#entries.get(key)
    const left = entry === undefined ? 0 : entry.sinceMs + entry.waitMs - now
    if (left > 0) return left
    this.#entries.set(key, { waitMs: entry === undefined ? FIRST_MS : Math.min(MOST_MS, entry.waitMs * 2), sinceMs: now })
    return 0
  }
}
