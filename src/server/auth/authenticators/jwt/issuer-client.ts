import { type Clock, holding } from '../../../../base/clock.ts'
import { createHttpConnections, exchange, type HttpAnswer, HttpExchangeError } from '../../../../base/http/http-exchange.ts'
import { goQuote } from '../../../../machinery/field-error.ts'

/** Asks an issuer of tokens; each answer within its time and size. */
export interface IssuerClient extends Disposable {
  /** Resolves with any answer. Rejects with Go's words. */
  get(url: string, bearer?: string): Promise<HttpAnswer>
}

/** As long as Kubernetes waits for an issuer. */
const TIMEOUT_MS = 30_000
/** Key sets and discovery documents are a few kilobytes. */
const MOST_BYTES = 1024 * 1024
const MOST_REDIRECTS = 10

/** `ca`: PEM of the authorities that the issuer is trusted by; the system's when empty. */
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
