import type { Call, HandlerResult } from '../../handlers/call.ts'
import { noteDeprecation } from '../../pipeline/note-deprecation.ts'
import type { PlainResponse } from '../../request/plain-paths.ts'
import { noteResponse } from '../audited-exchange.ts'
import { forwardedTo } from '../forward.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'
import { JSON_FORMAT } from './negotiate.ts'
import { openWatchSocket, wantsWatchSocket } from './watch-socket.ts'
import { send, writeResponse } from './write-response.ts'

/** Sends the result of the pipeline, unless the client has gone. */
export async function writeResult(server: HttpServer, request: HttpRequest): Promise<void> {
  const { result, call } = request
  switch (result?.kind) {
    case 'delegated':
      return request.over ? undefined : forwardedTo(result.to, request)
    case 'page':
      return writePage(server, request, result.page)
    case 'handled':
      return call && writeHandled(server, request, call, result.answer)
  }
}

const NOT_FOUND = {
  'cache-control': 'no-cache, private',
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

async function writePage({ deps }: HttpServer, request: HttpRequest, page: PlainResponse | undefined): Promise<void> {
  const { exchange, audit } = request
  if (page === undefined) return exchange.answer(404, NOT_FOUND, '404 page not found\n')
  request.counts = deps.metrics?.requests.ofPage(request.info.path, request.info.method)
  if (audit?.keepsResponse === true && page.json !== undefined) audit.responseText(Buffer.from(await page.json()).toString())
  return send(exchange, page.code, page.headers, page.body)
}

async function writeHandled({ segments, watches }: HttpServer, request: HttpRequest, call: Call, answer: HandlerResult): Promise<void> {
  if (request.over) {
    if (answer.kind === 'watch') answer.session.close()
    return
  }
  const { exchange, format = JSON_FORMAT, audit, upgrade } = request
  if (answer.kind === 'watch' && format.notStreamed !== undefined) {
    answer.session.close()
    throw format.notStreamed
  }
  const warning = request.warnings.values()
  const rendering = { call, format, segments, headers: warning.length === 0 ? NO_HEADERS : { warning } }
  const overSocket = answer.kind === 'watch' && wantsWatchSocket(exchange, upgrade)
  // The handshake of a WebSocket may still be refused: the exchange reports it to the audit record.
  if (audit !== undefined && !overSocket) await noteResponse(audit, answer, rendering)
  noteDeprecation(request)
  if (answer.kind !== 'watch') return writeResponse(exchange, answer, rendering)
  const { session } = answer
  if (!wantsWatchSocket(exchange, upgrade)) return watches.during(session, () => writeResponse(exchange, answer, rendering))
  const socket = await openWatchSocket(exchange, upgrade, format.encoding)
  if (socket === undefined) session.close()
  else await watches.during(session, () => writeResponse(socket, answer, rendering))
}

const NO_HEADERS = {}
