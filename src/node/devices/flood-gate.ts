import type { Clock } from '../../base/clock.ts'

/** Messages of one plugin that are taken at once, and how long each one more has to wait. */
const BURST = 50
const REFILL_MS = 100

/** Slows down who tells too much: a message more is read only when there is a token for it, so the sender is held up and not this process. */
export class FloodGate {
  readonly #clock: Clock
  #tokens = BURST
  #atMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#atMs = clock.monotonic()
  }

  /** Whether the next message has to wait. */
  flooded(): boolean {
    this.#refill()
    return this.#tokens < 1
  }

  /** Resolves when the next message may come. */
  async pass(signal: AbortSignal): Promise<void> {
    this.#refill()
    if (this.#tokens < 1) await this.#clock.sleep(REFILL_MS, signal).catch(() => {})
    this.#refill()
    this.#tokens = Math.max(0, this.#tokens - 1)
  }

  #refill(): void {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(BURST, this.#tokens + (now - this.#atMs) / REFILL_MS)
    this.#atMs = now
  }
}
