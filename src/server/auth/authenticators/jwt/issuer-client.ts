import { type Clock, holding } from '../../../../base/clock.ts'
import { createHttpConnections, exchange, HttpExchangeError, type HttpResponse } from '../../../../base/http/http-exchange.ts'
import { goQuote } from '../../../../machinery/field-error.ts'

/** Requests to an issuer, with time and size limits. */
export interface IssuerClient extends Disposable {
  /** Resolves with any response. Rejects with Go's message. */
  get(url: string, bearer?: string): Promise<HttpResponse>
}

/** Kubernetes' time limit. */
const TIMEOUT_MS = 30_000
/** Size limit; key sets and discovery documents have a few kilobytes. */
const MOST_BYTES = 1024 * 1024
const MOST_REDIRECTS = 10

/** `ca`: trusted authorities in PEM; the system's if empty. */
export function createIssuerClient(ca: string, { clock }: { readonly clock: Clock }): IssuerClient {
  const connections = createHttpConnections(ca === '' ? {} : { ca })
  return {
    async get(url, bearer) {
      const failed = (why: string) => new Error(`Get ${goQuote(url)}: ${why}`)
      if (!URL.canParse(url)) throw failed('unsupported protocol scheme ""')
      const headers: Record<string, string> = { 'User-Agent': 'Go-http-client/1.1' }
      if (bearer !== undefined) headers.Authorization = `Bearer ${bearer}`
      const call = { url: new URL(url), method: 'GET', headers, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, maxRedirects: MOST_REDIRECTS }
      try {
        return await holding(clock, `the issuer ${url}`, () => exchange(call, { connections, clock }))
      } catch (error) {
        throw error instanceof HttpExchangeError ? failed(error.message) : error
      }
    },
    [Symbol.dispose]: () => connections[Symbol.dispose](),
  }
}
