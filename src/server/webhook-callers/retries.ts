import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'

/** How often a webhook is asked, and how long is waited in between. */
export interface RetryPolicy {
  /** Questions in all. */
  readonly attempts: number
  readonly firstDelayMs: number
  readonly factor: number
  /** Each wait is longer by a chance share of itself, this at most. */
  readonly jitter: number
  /** No question is asked, and no wait begun that ends, later than this after the first: whoever asked the server has given up by then. */
  readonly withinMs: number
}

/** What Kubernetes' webhooks of authentication, authorization and audit do (`--…-webhook-retry-backoff`). */
export const WEBHOOK_RETRIES: RetryPolicy = { attempts: 5, firstDelayMs: 500, factor: 1.5, jitter: 0.2, withinMs: 60_000 }

/** Calls `attempt` until it says that asking again is of no use, or no attempt is left; the last outcome is the outcome. */
export async function withRetries<T>(
  policy: RetryPolicy,
  deps: { readonly clock: Clock; readonly random: Random; readonly signal?: AbortSignal },
  attempt: () => Promise<{ readonly result: T; readonly again: boolean }>,
): Promise<T> {
  const { clock, random, signal } = deps
  const untilMs = clock.monotonic() + policy.withinMs
  let delayMs = policy.firstDelayMs
  for (let asked = 1; ; asked++) {
    const { result, again } = await attempt()
    const waitMs = delayMs * (1 + random.next() * policy.jitter)
    if (!again || asked >= policy.attempts || clock.monotonic() + waitMs > untilMs) return result
    await clock.sleep(waitMs, signal)
    delayMs *= policy.factor
  }
}
