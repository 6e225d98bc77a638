import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'

/** The number of attempts, and the delays between them. */
export interface RetryPolicy {
  /** The total number of attempts. */
  readonly attempts: number
  readonly firstDelayMs: number
  readonly factor: number
  /** Each delay is extended by a random fraction, up to this. */
  readonly jitter: number
  /** No attempt starts, and no delay ends, later than this after the first attempt: the client has given up by then. */
  readonly withinMs: number
}

/** The retries of Kubernetes' webhooks of authentication, authorization and audit (`--…-webhook-retry-backoff`). */
export const WEBHOOK_RETRIES: RetryPolicy = { attempts: 5, firstDelayMs: 500, factor: 1.5, jitter: 0.2, withinMs: 60_000 }

/** Calls `attempt` until it needs no retry, or no attempt is left; returns the last outcome. */
export async function withRetries<T>(
  policy: RetryPolicy,
  deps: { readonly clock: Clock; readonly random: Random; readonly signal?: AbortSignal },
  attempt: () => Promise<{ readonly result: T; readonly again: boolean }>,
): Promise<T> {
  const { clock, random, signal } = deps
  const untilMs = clock.monotonic() + policy.withinMs
  let delayMs = policy.firstDelayMs
  for (let requested = 1; ; requested++) {
    const { result, again } = await attempt()
    const waitMs = delayMs * (1 + random.next() * policy.jitter)
    if (!again || requested >= policy.attempts || clock.monotonic() + waitMs > untilMs) return result
    await clock.sleep(waitMs, signal)
    delayMs *= policy.factor
  }
}
