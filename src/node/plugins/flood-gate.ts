import type { Clock } from '../../base/clock.ts'
import { pause } from '../../base/pause.ts'
import { TokenBucket } from '../../base/token-bucket.ts'

/** The rate limit of one plugin's messages. */
const MESSAGES = { burst: 50, perSecond: 10 }

/**
 * Slows down a plugin that sends too many messages: the next one is read only when there is a token for it, so that backpressure reaches
 * the sender.
 */
export class FloodGate {
  readonly #clock: Clock
  readonly #bucket: TokenBucket

  constructor(clock: Clock) {
    this.#clock = clock
    this.#bucket = new TokenBucket(MESSAGES, clock)
  }

  /** Whether the next message has to wait. */
  flooded(): boolean {
    return this.#bucket.isEmpty
  }

  /** Resolves when the next message may be read, or the signal is aborted. */
  async pass(signal: AbortSignal): Promise<void> {
    const waitMs = this.#bucket.reserveMs()
    if (waitMs > 0) await pause(this.#clock, waitMs, signal)
  }
}
