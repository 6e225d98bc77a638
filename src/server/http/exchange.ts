import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { lists } from './raw-exchange.ts'

export type Headers = Readonly<Record<string, string | readonly string[]>>

/** One request and its answer, the same over HTTP/1.1 and HTTP/2. */
export interface Exchange {
  readonly method: string
  /** Path and query as they came. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The same with every header as a list of what was sent. */
  lists(): Readonly<Record<string, readonly string[]>>
  readonly socket: TLSSocket
  /** The request's body. */
  readonly input: Duplex | IncomingMessage
  /** True once headers were sent. */
  readonly started: boolean
  /** The whole answer. */
  answer(status: number, headers: Headers, body: string | Uint8Array): void
  /** The beginning of an answer in parts. */
  start(status: number, headers: Headers): void
  /** False: wait for `drain`. */
  write(chunk: string | Uint8Array): boolean
  end(): void
  /** Breaks off: the client sees an error. */
  abort(): void
  onDrain(fn: () => void): void
  /** The client went away, or the answer is complete. */
  onClose(fn: () => void): void
}

export function http2Exchange(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders & Record<string, unknown>,
  raw: readonly string[],
): Exchange {
  return {
    method: String(headers[':method'] ?? 'GET'),
    url: String(headers[':path'] ?? '/'),
    headers,
    lists: () => lists(raw),
    socket: stream.session?.socket as TLSSocket,
    input: stream,
    get started() {
      return stream.headersSent
    },
    answer(status, extra, body) {
      if (stream.destroyed) return
      stream.respond({ ':status': status, ...extra, 'content-length': byteLength(body) })
      stream.end(headers[':method'] === 'HEAD' ? undefined : body)
    },
    start(status, extra) {
      if (!stream.destroyed) stream.respond({ ':status': status, ...extra })
    },
    write: (chunk) => (stream.destroyed ? true : stream.write(chunk)),
    end: () => {
      stream.end()
    },
    abort: () => {
      stream.close(2)
    },
    onDrain: (fn) => {
      stream.on('drain', fn)
    },
    onClose: (fn) => {
      stream.on('close', fn)
    },
  }
}

export function http1Exchange(request: IncomingMessage, response: ServerResponse): Exchange {
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: request.headers,
    lists: () => lists(request.rawHeaders),
    socket: request.socket as TLSSocket,
    input: request,
    get started() {
      return response.headersSent
    },
    answer(status, extra, body) {
      if (response.destroyed) return
      response.writeHead(status, { ...(extra as Record<string, string | string[]>), 'content-length': byteLength(body) })
      response.end(request.method === 'HEAD' ? undefined : body)
    },
    start(status, extra) {
      if (response.destroyed) return
      response.writeHead(status, extra as Record<string, string | string[]>)
      response.flushHeaders()
    },
    write: (chunk) => (response.destroyed ? true : response.write(chunk)),
    end: () => {
      response.end()
    },
    abort: () => {
      response.destroy()
    },
    onDrain: (fn) => {
      response.on('drain', fn)
    },
    onClose: (fn) => {
      response.on('close', fn)
    },
  }
}

const byteLength = (body: string | Uint8Array) => (typeof body === 'string' ? Buffer.byteLength(body) : body.length)
