import { type Clock, holding } from '../../base/clock.ts'
import { createHttpConnections, exchange, type HttpAnswer, HttpExchangeError } from '../../base/http/http-exchange.ts'
import { KUBERNETES_VERSION, VERSION } from '../../base/version.ts'
import { goQuote } from '../../machinery/field-error.ts'
import type { WebhookTarget } from './kubeconfig.ts'

/** A webhook gave no answer; the text is what Kubernetes' client says. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'
  /** `reset`: the connection ended before the answer, so that asking again may help. */
  readonly code: 'deadline' | 'aborted' | 'reset' | 'failed'
  constructor(code: WebhookCallError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** How one question is asked. */
export interface WebhookCallOptions {
  /** For the whole call; the webhook is told by `?timeout=`. Default 30,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** Calls one webhook; its connections are kept for the next call. */
export interface WebhookCaller extends Disposable {
  /** As errors show it: the URL with the time limit. */
  readonly url: string
  /** Posts JSON text. Resolves with any whole answer, whatever its status. @throws {WebhookCallError} */
  post(body: string, options?: WebhookCallOptions): Promise<HttpAnswer>
}

/** Kubernetes' own limit for its webhooks of authentication, authorization and audit. */
export const WEBHOOK_TIMEOUT_MS = 30_000
/** An answer that is longer than this is not read to its end, unless the question was long itself. */
const MOST_BYTES = 16 * 1024 * 1024
/** So many times the question is still an honest answer. */
const MOST_GROWTH = 4

const MOST_REDIRECTS = 10

const USER_AGENT = `kube-apiserver/${KUBERNETES_VERSION} (${process.platform}/${process.arch}) bowsprit/${VERSION}`

/** Calls have a time limit and a size limit, and each error names the webhook. */
export function createWebhookCaller(target: WebhookTarget, { clock }: { readonly clock: Clock }): WebhookCaller {
  const connections = createHttpConnections(target.tls)
  const withTimeout = (timeoutMs: number) => {
    const url = new URL(target.url)
    url.searchParams.set('timeout', `${timeoutMs / 1000}s`)
    return url
  }
  return {
    url: withTimeout(WEBHOOK_TIMEOUT_MS).href,
    async post(body, { timeoutMs = WEBHOOK_TIMEOUT_MS, signal } = {}) {
      const url = withTimeout(timeoutMs)
      const authorization = target.authorization()
      const call = {
        url,
        method: 'POST',
        headers: {
          Accept: 'application/json, */*',
          'Content-Type': 'application/json',
          'User-Agent': USER_AGENT,
          ...(authorization === undefined ? {} : { Authorization: authorization }),
        },
        body,
        timeoutMs,
        maxBytes: Math.max(MOST_BYTES, MOST_GROWTH * body.length),
        maxRedirects: MOST_REDIRECTS,
        ...(signal === undefined ? {} : { signal }),
      }
      try {
        return await holding(clock, `the webhook ${target.url.href}`, () => exchange(call, { connections, clock }))
      } catch (error) {
        if (!(error instanceof HttpExchangeError)) throw error
        const code =
          error.code === 'aborted' || error.code === 'reset' ? error.code : error.code.startsWith('deadline') ? 'deadline' : 'failed'
        throw new WebhookCallError(code, `Post ${goQuote((error.url ?? url).href)}: ${error.message}`, { cause: error })
      }
    },
    [Symbol.dispose]: () => connections[Symbol.dispose](),
  }
}
