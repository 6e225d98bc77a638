import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { lists } from './header-lists.ts'
import { sendable, sendableCode } from './header-value.ts'
import type { Headers } from './headers.ts'

/** One request and its response, over HTTP/1.1 or HTTP/2. */
export interface Exchange {
  readonly method: string
  /** Path and query as received. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Every header with all of its values. */
  lists(): Readonly<Record<string, readonly string[]>>
  readonly socket: TLSSocket
  /** The request's body. */
  readonly input: Readable
  /** True once headers were sent. */
  readonly started: boolean
  /** The status that was sent; 0 before. */
  readonly status: number
  /** Bytes of the response's body so far. */
  readonly sent: number
  /** True once the client has gone, or the response was sent. */
  readonly gone: boolean
  /** True while more of the request's body may come. */
  readonly unread: boolean
  /** The value of the response header `Audit-Id`; empty until the request is read. */
  auditId: string
  /** Response headers that do not depend on the response: for browsers, and the request's flow schema and priority level. */
  fixed: Headers | undefined
  /** Sends a whole response. Only the first response of an exchange is sent. */
  answer(status: number, headers: Headers, body: string | Uint8Array): void
  /** Begins a response that is written in parts. */
  start(status: number, headers: Headers): void
  /** The connection was upgraded (101) to another protocol. */
  switched(): void
  /** False: wait for `drain`. */
  write(chunk: string | Uint8Array): boolean
  end(): void
  /** Reads no more of the request: the exchange ends when the written bytes were sent. */
  finish(): void
  /** Aborts the exchange: the client sees an error. */
  abort(): void
  onDrain(fn: () => void): void
  /** Calls `fn` when the client has gone or the response is complete; at once if that is already so. */
  onClose(fn: () => void): void
}

/** A stream of HTTP/2. */
export class Http2Exchange implements Exchange {
  readonly input: ServerHttp2Stream
  readonly headers: IncomingHttpHeaders
  readonly #raw: readonly string[]
  status = 0
  sent = 0
  auditId = ''
  fixed: Headers | undefined

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) {
    this.input = stream
    this.headers = headers
    this.#raw = raw
  }

  get method(): string {
    return String((this.headers as Record<string, unknown>)[':method'] ?? 'GET')
  }

  get url(): string {
    return String((this.headers as Record<string, unknown>)[':path'] ?? '/')
  }

  get socket(): TLSSocket {
    return this.input.session?.socket as TLSSocket
  }

  get started(): boolean {
    return this.input.headersSent
  }

  lists(): Readonly<Record<string, readonly string[]>> {
    return lists(this.#raw)
  }

  answer(status: number, headers: Headers, body: string | Uint8Array): void {
    const stream = this.input
    if (stream.destroyed || stream.headersSent) return
    this.status = sendableCode(status)
    this.sent = byteLength(body)
    stream.respond({ ':status': this.status, ...sendable(withServerHeaders(headers, this)), 'content-length': this.sent })
    stream.end(this.method === 'HEAD' ? undefined : body)
  }

  start(status: number, headers: Headers): void {
    if (this.input.destroyed || this.input.headersSent) return
    this.status = sendableCode(status)
    this.input.respond({ ':status': this.status, ...sendable(withServerHeaders(headers, this)) })
  }

  switched(): void {
    throw new Error('invariant: only an upgrade becomes another protocol')
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.input.destroyed) return true
    this.sent += chunk.length
    return this.input.write(chunk)
  }

  end(): void {
    this.input.end()
  }

  get gone(): boolean {
    return this.input.destroyed
  }

  get unread(): boolean {
    return !(this.input.endAfterHeaders || this.input.readableEnded)
  }

  finish(): void {
    this.input.end()
    this.input.close(0)
  }

  abort(): void {
    // `close` with a code would end the body first, and the client would take it for complete.
    this.input.destroy(new Error('the response is broken off'))
  }

  onDrain(fn: () => void): void {
    this.input.on('drain', fn)
  }

  onClose(fn: () => void): void {
    if (this.gone) fn()
    else this.input.on('close', fn)
  }
}

/** A request of HTTP/1.1. */
export class Http1Exchange implements Exchange {
  readonly input: IncomingMessage
  readonly #response: ServerResponse
  status = 0
  sent = 0
  auditId = ''
  fixed: Headers | undefined

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.input = request
    this.#response = response
  }

  get method(): string {
    return this.input.method ?? 'GET'
  }

  get url(): string {
    return this.input.url ?? '/'
  }

  get headers(): IncomingHttpHeaders {
    return this.input.headers
  }

  get socket(): TLSSocket {
    return this.input.socket as TLSSocket
  }

  get started(): boolean {
    return this.#response.headersSent
  }

  lists(): Readonly<Record<string, readonly string[]>> {
    return lists(this.input.rawHeaders)
  }

  answer(status: number, headers: Headers, body: string | Uint8Array): void {
    const response = this.#response
    if (response.destroyed || response.headersSent) return
    this.status = sendableCode(status)
    this.sent = byteLength(body)
    const all = withServerHeaders(headers, this)
    const clean = sendable(all)
    response.writeHead(this.status, { ...(clean as Record<string, string | string[]>), 'content-length': this.sent })
    // Node joins the headers with a text that follows them, and would encode their bytes once more.
    const bytes = clean === all ? body : Buffer.from(body)
    const payload = this.method === 'HEAD' ? NO_BYTES : bytes
    if (this.unread && !response.shouldKeepAlive) this.#endAfterBody(payload)
    else response.end(payload)
  }

  /** To close a connection on which the client still sends would reset it, and the client might never read the response. */
  #endAfterBody(payload: string | Uint8Array): void {
    this.#response.write(payload)
    this.input.once('close', () => this.#response.end())
    this.input.resume()
  }

  start(status: number, headers: Headers): void {
    if (this.#response.destroyed || this.#response.headersSent) return
    this.status = sendableCode(status)
    this.#response.writeHead(this.status, sendable(withServerHeaders(headers, this)) as Record<string, string | string[]>)
    // The first bytes of a body send the headers; `flushHeaders` would encode those once more. A response to HEAD has no body.
    if (this.method === 'HEAD') this.#response.flushHeaders()
    else this.#response.write(NO_BYTES)
  }

  switched(): void {
    throw new Error('invariant: only an upgrade becomes another protocol')
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#response.destroyed) return true
    this.sent += chunk.length
    return this.#response.write(chunk)
  }

  end(): void {
    this.#response.end()
  }

  get gone(): boolean {
    return this.#response.destroyed || this.#response.closed
  }

  get unread(): boolean {
    return !this.input.complete
  }

  finish(): void {
    const end = () => (this.socket as TLSSocket | null)?.destroySoon()
    if (this.#response.writableFinished) end()
    else this.#response.once('finish', end)
    this.#response.end()
  }

  abort(): void {
    this.#response.destroy()
  }

  onDrain(fn: () => void): void {
    this.#response.on('drain', fn)
  }

  onClose(fn: () => void): void {
    if (this.gone) fn()
    else this.#response.on('close', fn)
  }
}

const NO_BYTES = Buffer.alloc(0)
const byteLength = (body: string | Uint8Array) => (typeof body === 'string' ? Buffer.byteLength(body) : body.length)

/** Adds what every response has: its audit id, the fixed headers, and that it is not to be cached. A header that is set already stays. */
export const withServerHeaders = (headers: Headers, { auditId, fixed }: Pick<Exchange, 'auditId' | 'fixed'>): Headers =>
  auditId === '' ? headers : { 'audit-id': auditId, 'cache-control': 'no-cache, private', ...fixed, ...headers }
