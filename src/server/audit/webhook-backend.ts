import type { AuditBackend } from '../../apiserver/audit/audit-backend.ts'
import { type AuditEvent, eventListJson } from '../../apiserver/audit/audit-event.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { clientStatus } from '../webhook-callers/client-status.ts'
import { withRetries } from '../webhook-callers/retries.ts'
import { WebhookCallError, type WebhookCaller } from '../webhook-callers/webhook-caller.ts'

/** The most attempts for a batch, whatever the error. */
const ATTEMPTS = 5
/** The longest time that a batch is retried. */
const WITHIN_MS = 10 * 60_000

/** Sends events to a webhook as `EventList`s. Every failure is retried, because the webhook may only be unavailable for a while. */
export function webhookBackend(
  webhook: WebhookCaller,
  firstDelayMs: number,
  deps: { readonly clock: Clock; readonly random: Random; readonly lost: (events: number, error: unknown) => void },
): AuditBackend {
  const stop = new AbortController()
  const retries = { attempts: ATTEMPTS, firstDelayMs, factor: 1.5, jitter: 0.2, withinMs: WITHIN_MS }
  const attempt = async (body: string): Promise<Error | undefined> => {
    try {
      const { status, headers, body: answer } = await webhook.post(body, { signal: stop.signal })
      if (status >= 200 && status <= 299) return undefined
      return new Error((await clientStatus({ status, headers, text: answer.toString() })).message)
    } catch (error) {
      if (error instanceof WebhookCallError) return error
      throw error
    }
  }
  const send = async (events: readonly AuditEvent[]): Promise<boolean> => {
    const body = eventListJson(events)
    try {
      const failure = await withRetries(retries, { ...deps, signal: stop.signal }, async () => {
        const result = await attempt(body)
        return { result, again: result !== undefined && !stop.signal.aborted }
      })
      if (failure === undefined) return true
      deps.lost(events.length, failure)
    } catch (error) {
      deps.lost(events.length, error)
    }
    return false
  }
  return {
    process: send,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the server ends'))
      webhook[Symbol.dispose]()
    },
  }
}
