import type { Random } from '../../base/random.ts'

export interface BackOffOptions {
  readonly firstMs: number
  readonly maxMs: number
  readonly factor?: number
  /** Each step is stretched by up to this fraction, drawn by chance. */
  readonly jitter?: number
}

/** Growing spans between attempts. */
export interface BackOff {
  next(): number
  reset(): void
}

export function createBackOff(options: BackOffOptions, random: Random): BackOff {
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
