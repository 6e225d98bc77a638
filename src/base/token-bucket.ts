import type { Clock } from './clock.ts'

/** Lets `burst` things through at once, and `perSecond` in the long run. It begins full. */
export class TokenBucket {
  readonly #perSecond: number
  readonly #burst: number
  readonly #clock: Pick<Clock, 'monotonic'>
  #tokens: number
  #atMs: number

  constructor(perSecond: number, burst: number, clock: Pick<Clock, 'monotonic'>) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#clock = clock
    this.#tokens = burst
    this.#atMs = clock.monotonic()
  }

  /** Whether one more may pass now. */
  take(): boolean {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#atMs) / 1000) * this.#perSecond)
    this.#atMs = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
