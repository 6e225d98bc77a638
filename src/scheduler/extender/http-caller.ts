import type { ConnectionOptions } from 'node:tls'
import { type Clock, holding } from '../../base/clock.ts'
import { createHttpConnections, exchange, type HttpCall, HttpExchangeError } from '../../base/http/http-exchange.ts'
import { withoutTrailing } from '../../base/without-trailing.ts'
import { goQuote } from '../../machinery/field-error.ts'
import { ExtenderError } from './extender-error.ts'

/** Posts JSON to one extender; its connections are kept for the next call. */
export interface HttpCaller {
  /** The text of a 200. Rejects in Go's words otherwise; never takes longer than the time, whatever the other side does. */
  post(verb: string, body: string): Promise<string>
  close(): void
}

export interface HttpCallerOptions {
  readonly urlPrefix: string
  readonly timeoutMs: number
  readonly tls: ConnectionOptions
  readonly clock: Clock
}

/** A longer response is cut off, unless the request was long itself. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_GROWTH = 4
const MOST_REDIRECTS = 10

export function createHttpCaller({ urlPrefix, timeoutMs, tls, clock }: HttpCallerOptions): HttpCaller {
  const connections = createHttpConnections(tls)
  const limits = { timeoutMs, maxRedirects: MOST_REDIRECTS }
  const headers = { 'User-Agent': 'Go-http-client/1.1', 'Content-Type': 'application/json' }
  return {
    async post(verb, body) {
      const url = `${withoutTrailing(urlPrefix, '/')}/${verb}`
      const to = URL.parse(url)
      if (to === null) throw new ExtenderError('failed', `Post ${goQuote(url)}: unsupported protocol scheme ""`)
      const maxBytes = Math.max(MOST_BYTES, MOST_GROWTH * body.length)
      const call: HttpCall = { url: to, method: 'POST', headers, body, maxBytes, ...limits, repeatable: true }
      const answer = await holding(clock, `the extender ${url}`, () => exchange(call, { connections, clock })).catch((error: unknown) => {
        throw error instanceof HttpExchangeError ? new Error(saidOf(error, url), { cause: error }) : error
      })
      if (answer.status !== 200) throw new ExtenderError('failed', `failed ${verb} with extender at URL ${url}, code ${answer.status}`)
      return answer.body.toString()
    },
    close: () => connections[Symbol.dispose](),
  }
}

/** Go's message for a call without a response. */
function saidOf({ code, message }: HttpExchangeError, url: string): string {
  switch (code) {
    case 'deadline':
      return `Post ${goQuote(url)}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
    case 'deadline-in-body':
      return 'context deadline exceeded (Client.Timeout or context cancellation while reading body)'
    case 'too-large':
      return message
    default:
      return message === 'unexpected EOF' ? message : `Post ${goQuote(url)}: ${message}`
  }
}
