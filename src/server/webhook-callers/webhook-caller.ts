import { type Clock, holding } from '../../base/clock.ts'
import { createHttpConnections, exchange, HttpExchangeError, type HttpResponse } from '../../base/http/http-exchange.ts'
import { KUBERNETES_VERSION, VERSION } from '../../base/version.ts'
import { goQuote } from '../../machinery/field-error.ts'
import type { WebhookTarget } from './kubeconfig.ts'

/** A webhook gave no response; the message is that of Kubernetes' client. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'
  /** `reset`: the connection ended before the response, so that a retry may help. */
  readonly code: 'deadline' | 'aborted' | 'reset' | 'failed'
  constructor(code: WebhookCallError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** The options of one call. */
export interface WebhookCallOptions {
  /** For the whole call; the webhook gets it in `?timeout=`. Default 30,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** Calls one webhook; connections are reused. */
export interface WebhookCaller extends Disposable {
  /** The URL with the time limit, for error messages. */
  readonly url: string
  /** Posts JSON text. Resolves with any complete response, whatever its status. @throws {WebhookCallError} */
  post(body: string, options?: WebhookCallOptions): Promise<HttpResponse>
}

/** Kubernetes' limit for its webhooks of authentication, authorization and audit. */
export const WEBHOOK_TIMEOUT_MS = 30_000
/** Size limit of a response beside what the request contains: a response is read in one turn of the event loop. */
const MOST_BYTES = 512 * 1024

const MOST_REDIRECTS = 10

const USER_AGENT = `kube-apiserver/${KUBERNETES_VERSION} (${process.platform}/${process.arch}) bowsprit/${VERSION}`

/** Calls a webhook with a time limit and a size limit; each error names the webhook. */
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
        maxBytes: MOST_BYTES + body.length,
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
