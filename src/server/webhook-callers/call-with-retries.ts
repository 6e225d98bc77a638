import type { Clock } from '../../base/clock.ts'
import type { HttpResponse } from '../../base/http/http-exchange.ts'
import type { Random } from '../../base/random.ts'
import { giveTurn } from '../../base/turns.ts'
import { type ClientStatus, clientStatus, isKnownReason } from './client-status.ts'
import { type RetryPolicy, withRetries } from './retries.ts'
import { WebhookCallError, type WebhookCaller, type WebhookCallOptions } from './webhook-caller.ts'

/** The outcome of a call, retries included. */
export type WebhookOutcome =
  /** A 2xx response. */
  | { readonly kind: 'answered'; readonly status: number; readonly contentType: string; readonly text: string }
  /** A response with an error status. */
  | { readonly kind: 'refused'; readonly status: number; readonly refusal: ClientStatus }
  /** No response. */
  | { readonly kind: 'failed'; readonly error: WebhookCallError }

/** The most waits for Retry-After, as in client-go. */
const MOST_WAITS = 10

/**
 * Posts a request and retries as Kubernetes' webhooks do: after 429, 500, 504 and other internal server errors except for 503, and after
 * Retry-After. A call without a response is not retried.
 */
export async function callWithRetries(
  caller: WebhookCaller,
  body: string,
  deps: { readonly clock: Clock; readonly random: Random; readonly retries: RetryPolicy },
  options: WebhookCallOptions = {},
): Promise<WebhookOutcome> {
  const signal = options.signal === undefined ? {} : { signal: options.signal }
  const untilMs = deps.clock.monotonic() + deps.retries.withinMs
  return await withRetries(deps.retries, { ...deps, ...signal }, async () => {
    const result = await askOnce(caller, body, { clock: deps.clock, untilMs }, options)
    return { result, again: isPassing(result) }
  })
}

interface Until {
  readonly clock: Clock
  readonly untilMs: number
}

async function askOnce(
  caller: WebhookCaller,
  body: string,
  { clock, untilMs }: Until,
  options: WebhookCallOptions,
): Promise<WebhookOutcome> {
  try {
    for (let waits = 0; ; waits++) {
      const answer = await caller.post(body, options)
      const text = answer.body.toString()
      if (text.length > LONG) await giveTurn()
      if (answer.status >= 200 && answer.status <= 299) {
        return { kind: 'answered', status: answer.status, contentType: answer.headers['content-type'] ?? 'application/json', text }
      }
      const afterMs = retryAfterMs(answer)
      if (afterMs === undefined || waits >= MOST_WAITS || clock.monotonic() + afterMs > untilMs) {
        return { kind: 'refused', status: answer.status, refusal: await clientStatus({ ...answer, text }) }
      }
      await clock.sleep(afterMs, options.signal)
    }
  } catch (error) {
    if (error instanceof WebhookCallError) return { kind: 'failed', error }
    throw error
  }
}

const LONG = 1 << 20

/** client-go waits for Retry-After by itself. */
function retryAfterMs({ status, headers }: HttpResponse): number | undefined {
  const after = headers['retry-after'] ?? ''
  return (status === 429 || status >= 500) && /^\d{1,4}$/.test(after) ? Number(after) * 1000 : undefined
}

function isPassing(outcome: WebhookOutcome): boolean {
  if (outcome.kind !== 'refused') return false
  const { reason, retryAfterSeconds } = outcome.refusal
  if (['InternalError', 'Timeout', 'TooManyRequests', 'ServerTimeout'].includes(reason) || (retryAfterSeconds ?? 0) > 0) return true
  // Without a reason of Kubernetes, the code decides.
  return outcome.status === 429 || ([500, 504].includes(outcome.status) && !isKnownReason(reason))
}
