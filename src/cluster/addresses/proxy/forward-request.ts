import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream'
import { joinStreams } from '../../../base/join-streams.ts'
import { HOP_BY_HOP, namedByConnection } from '../../../server/aggregation/hop-by-hop.ts'

/** What a proxy changes of a request and of its response. */
export interface Changes {
  /** With the query. */
  readonly path?: string
  readonly request?: (headers: OutgoingHttpHeaders) => OutgoingHttpHeaders
  readonly response?: (headers: OutgoingHttpHeaders) => OutgoingHttpHeaders
}

/** Streams a request to a backend over `connection`, and its response back; a backend that fails is a 502. */
export function forwardRequest(request: IncomingMessage, response: ServerResponse, connection: Duplex, changes: Changes = {}): void {
  const sent = open(request, connection, {}, changes)
  response.on('close', () => sent.destroy())
  sent.on('response', (got) => {
    response.writeHead(got.statusCode ?? 502, answered(got, changes))
    pipeline(got, response, () => {})
  })
  sent.on('error', () => {
    if (response.headersSent) response.destroy()
    else refuse(response, 502)
  })
  pipeline(request, sent, () => {})
}

/** The client of an upgrade, with what it has sent after its request. */
export interface Upgraded {
  readonly socket: Duplex
  readonly head: Buffer
}

/** Connects the client of an upgrade (WebSocket) with the backend, once that has accepted it. */
export function forwardUpgrade(request: IncomingMessage, client: Upgraded, connection: Duplex, changes: Changes = {}): void {
  const { socket, head } = client
  const sent = open(request, connection, { connection: 'Upgrade', upgrade: request.headers.upgrade ?? '' }, changes)
  socket.on('error', () => sent.destroy())
  socket.on('close', () => sent.destroy())
  sent.on('error', () => socket.destroy())
  sent.on('upgrade', (got, backend, first) => {
    socket.write(headOf(got, got.headers))
    socket.write(first)
    backend.write(head)
    joinStreams(socket, backend)
  })
  sent.on('response', (got) => {
    // The parser has read the body's framing: it ends with the connection here.
    socket.write(headOf(got, { ...answered(got, changes), connection: 'close' }))
    pipeline(got, socket, () => {})
  })
  sent.end()
}

/** Answers in the proxy's own name. */
export function refuse(response: ServerResponse, code: 404 | 500 | 502 | 503): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' }).end(`${code} ${http.STATUS_CODES[code]}\n`)
}

function open(request: IncomingMessage, connection: Duplex, more: OutgoingHttpHeaders, changes: Changes): http.ClientRequest {
  const { method = 'GET', url: path = '/', headers, socket } = request
  const sent = { ...endToEnd(request), ...more }
  const client = socket.remoteAddress ?? ''
  const before = headers['x-forwarded-for']
  return http.request({
    method,
    path: changes.path ?? path,
    createConnection: () => connection,
    headers: {
      ...(changes.request?.(sent) ?? sent),
      // Whatever the method: a body without a length would be a request of its own for the backend.
      ...(headers['transfer-encoding'] !== undefined && { 'transfer-encoding': 'chunked' }),
      'x-forwarded-for': before === undefined ? client : `${before}, ${client}`,
      'x-forwarded-host': headers.host ?? '',
      'x-forwarded-proto': 'encrypted' in socket ? 'https' : 'http',
    },
  })
}

/** The headers of a response, as the client gets them. */
const answered = (got: IncomingMessage, { response }: Changes) => response?.(endToEnd(got)) ?? endToEnd(got)

/** Its headers without those of one connection. */
function endToEnd({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const named = namedByConnection([headers.connection ?? ''])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)))
}

function headOf({ statusCode = 502, statusMessage = '' }: IncomingMessage, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`))
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('\r\n')}\r\n\r\n`
}
