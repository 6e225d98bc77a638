import { runPipeline } from '../pipeline/pipeline.ts'
import { RequestInfoError } from '../request/request-info.ts'
import { browserHeaders } from './browser-rules.ts'
import type { Upgrade } from './connection/connect.ts'
import type { Exchange } from './exchange.ts'
import { fail } from './fail.ts'
import { HTTP_PIPELINE } from './http-pipeline.ts'
import { auditIdOf, type HttpRequest, openRequest } from './http-request.ts'
import type { HttpServer } from './http-server.ts'
import { writeRequestInfoError } from './response/write-error.ts'
import { writeResult } from './response/write-result.ts'

/** Serves one request from a socket. Never rejects: an error becomes a response, and if that fails, too, the exchange is aborted. */
export async function serve(server: HttpServer, exchange: Exchange, upgrade?: Upgrade): Promise<void> {
  try {
    await serveOne(server, exchange, upgrade)
  } catch (error) {
    server.deps.log.error('a request could not be answered', { method: exchange.method, url: exchange.url, error })
    exchange.abort()
  }
}

async function serveOne(server: HttpServer, exchange: Exchange, upgrade: Upgrade | undefined): Promise<void> {
  // A client that resets its requests at once costs only the reading of their headers.
  if (exchange.gone) return
  const { metrics, clock, random } = server.deps
  exchange.auditId = auditIdOf(exchange.headers['audit-id']) ?? random.uuid()
  if (server.browsers !== undefined) {
    const { headers, allowed } = browserHeaders(server.browsers, exchange.headers.origin)
    exchange.fixed = headers
    if (allowed && exchange.method === 'OPTIONS') return answerPreflight(exchange)
  }
  const started = metrics === undefined ? 0 : clock.monotonic()
  const request = openOrRefuse(exchange, upgrade)
  if (request === undefined) return
  try {
    const running = runPipeline(HTTP_PIPELINE, server, request)
    if (running !== undefined) await running
    await writeResult(server, request)
  } catch (error) {
    if (!request.over) await fail(server, request, error)
  }
  await end(request, () => (clock.monotonic() - started) / 1000)
}

/** A browser asks before it sends a script's request: without credentials, so nobody is authenticated. */
function answerPreflight(exchange: Exchange): void {
  exchange.start(204, {})
  exchange.end()
}

/** Undefined: the request is refused, because its path cannot be read or names no resource. */
function openOrRefuse(exchange: Exchange, upgrade: Upgrade | undefined): HttpRequest | undefined {
  try {
    const request = openRequest(exchange, upgrade)
    if (request === undefined) exchange.answer(400, { 'content-type': 'text/plain; charset=utf-8' }, '400 Bad Request')
    return request
  } catch (error) {
    if (!(error instanceof RequestInfoError)) throw error
    writeRequestInfoError(exchange)
    return undefined
  }
}

/** The response is written; with a blocking audit backend, its end waits. */
async function end(request: HttpRequest, seconds: () => number): Promise<void> {
  const { exchange, audit, counts, headers, life } = request
  if (audit?.delivered !== undefined) await audit.delivered
  request.completeTrail(exchange.status)
  counts?.done(exchange.status, seconds(), exchange.sent, headers['content-length'])
  life.answered()
}
