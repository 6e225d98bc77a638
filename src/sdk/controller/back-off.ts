import { type Random, systemRandom } from '../../base/random.ts'

/** How the spans grow; in milliseconds. */
export interface BackOffOptions {
  readonly firstMs: number
  readonly maxMs: number
  /** What each span is multiplied with for the next. Default 2. */
  readonly factor?: number
  /** Each step is stretched by up to this fraction, drawn by chance. Default 0. */
  readonly jitter?: number
}

/** Growing spans between attempts. */
export interface BackOff {
  /** The span to wait now, in milliseconds; the one after it is longer. */
  next(): number
  /** It worked: the next span is the first one again. */
  reset(): void
}

/**
 * Makes spans that grow from `firstMs` to `maxMs`.
 *
 * ```ts
 * const backOff = createBackOff({ firstMs: 100, maxMs: 5000 })
 * await systemClock.sleep(backOff.next(), signal)
 * ```
 */
export function createBackOff(options: BackOffOptions, random: Random = systemRandom()): BackOff {
  let span = options.firstMs
  return {
    next() {
      const now = span
      span = Math.min(options.maxMs, span * (options.factor ?? 2))
      return now + now * (options.jitter ?? 0) * random.next()
    },
    reset() {
      span = options.firstMs
    },
  }
}
