import type { Clock } from './clock.ts'

/** How much passes in the long run, and how much at once. */
export interface TokenBucketLimit {
  /** Tokens that are added each second. */
  readonly perSecond: number
  /** Tokens that the bucket holds at most; it begins with as many. */
  readonly burst: number
}

/** A rate limit that allows bursts. It begins full. */
export class TokenBucket {
  readonly #limit: TokenBucketLimit
  readonly #clock: Pick<Clock, 'monotonic'>
  #tokens: number
  #atMs: number

  constructor(limit: TokenBucketLimit, clock: Pick<Clock, 'monotonic'>) {
    this.#limit = limit
    this.#clock = clock
    this.#tokens = limit.burst
    this.#atMs = clock.monotonic()
  }

  /** Takes a token if there is one; false when there is none. */
  take(): boolean {
    if (this.isEmpty) return false
    this.#tokens--
    return true
  }

  /** Takes a token, on credit if there is none. Returns how long to wait until it would be there, in milliseconds. */
  reserveMs(): number {
    this.#refill()
    this.#tokens--
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#limit.perSecond) * 1000
  }

  /** Whether there is no whole token. */
  get isEmpty(): boolean {
    this.#refill()
    return this.#tokens < 1
  }

  /** Whether it holds what a new one would: forgetting a full bucket changes nothing. */
  get isFull(): boolean {
    this.#refill()
    return this.#tokens >= this.#limit.burst
  }

  #refill(): void {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + ((now - this.#atMs) / 1000) * this.#limit.perSecond)
    this.#atMs = now
  }
}
