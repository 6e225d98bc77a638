import type { Clock } from '../../base/clock.ts'

/** Looks that are further apart than this were not made by a process that ran: it slept (a lid, a debugger, SIGSTOP). */
const SLEPT_MS = 20_000

/**
 * When each node was last heard of, by this process's clock: another machine's may differ. Time that this process slept through does not count, for
 * nobody listened: a node that was there before has its whole grace after it.
 */
export class SignsOfLife {
  readonly #clock: Pick<Clock, 'now'>
  readonly #seen = new Map<string, { readonly sign: string; atMs: number }>()
  #lookedMs: number

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#lookedMs = clock.now()
  }

  /** Has to be called more often than every 20 seconds. */
  look(): void {
    const now = this.#clock.now()
    const missedMs = now - this.#lookedMs
    this.#lookedMs = now
    if (missedMs > SLEPT_MS) for (const entry of this.#seen.values()) entry.atMs += missedMs
  }

  /** When the node gave `sign`, its latest, as far as we know. */
  lastMs(node: string, sign: string): number {
    this.look()
    const known = this.#seen.get(node)
    if (known?.sign === sign) return known.atMs
    const atMs = this.#clock.now()
    this.#seen.set(node, { sign, atMs })
    return atMs
  }

  /** Every node was heard of just now, as far as anybody has to care. */
  renew(): void {
    const now = this.#clock.now()
    for (const entry of this.#seen.values()) entry.atMs = now
  }

  forget(node: string): void {
    this.#seen.delete(node)
  }
}
