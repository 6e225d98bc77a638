import { type Clock, systemClock } from '../../base/clock.ts'

/** How many may go at once, and how many a second after that. */
export interface TokenBucketOptions {
  readonly perSecond: number
  readonly burst: number
  /** Default: the machine's. */
  readonly clock?: Clock
}

/** A bucket that fills by itself. */
export interface TokenBucket {
  /** Takes a token, on credit if need be; how long to wait until it is there, in milliseconds. */
  reserveMs(): number
}

/** Makes a full bucket. @throws {RangeError} when nothing would ever go */
export function createTokenBucket({ perSecond, burst, clock = systemClock }: TokenBucketOptions): TokenBucket {
  if (!(perSecond > 0 && burst >= 1)) throw new RangeError('a bucket needs perSecond above 0 and burst of at least 1')
  let tokens = burst
  let atMs = clock.monotonic()
  return {
    reserveMs() {
      const now = clock.monotonic()
      tokens = Math.min(burst, tokens + ((now - atMs) / 1000) * perSecond) - 1
      atMs = now
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000
    },
  }
}
