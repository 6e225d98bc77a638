import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext } from 'node:tls'
import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import type { OpenedPort } from '../../../base/opened-port.ts'
import { pause } from '../../../base/pause.ts'
import { quietErrors } from '../../../base/quiet.ts'
import { certificatesOf } from '../../../machinery/x509/certificates-of.ts'
import { type Exchange, Http1Exchange, Http2Exchange } from '../exchange.ts'
import { parseHead, rawExchange } from '../raw-exchange.ts'
import type { Upgrade } from './connect.ts'
import { HandshakeGate } from './handshake-gate.ts'
import { Http1Responses } from './http1-responses.ts'
import { IdleSessions } from './idle-sessions.ts'
import type { TlsConfig } from './tls-config.ts'

const MEGABYTE = 1024 * 1024
/** Each impersonated group is a header of its own. */
const MOST_HEADERS = 2000

export interface ListenerConfig extends ListenAt {
  readonly tls: TlsConfig
  /** The port, if it is open already. */
  readonly opened?: OpenedPort
}

/** An address and a port of this machine. */
export interface ListenAt {
  readonly host: string
  readonly port: number
}

export interface ListenerDeps {
  readonly log: Logger
  readonly clock: Clock
  /** Called when a connection ends before its TLS handshake has. */
  readonly handshakeFailed?: (() => void) | undefined
  /** Asked for each HTTP/2 request: whether its connection gets GOAWAY, so that the client's next request opens another one. */
  readonly goaway?: (() => boolean) | undefined
}

/** A TLS port that speaks HTTP/2 and HTTP/1.1. */
export interface Listener extends AsyncDisposable {
  /** Opens the port; resolves with its number. */
  open(): Promise<number>
  /** Opens one more port, with the same connections. Rejects with Node's error (`EADDRINUSE`, …). */
  openAlso(at: ListenAt): Promise<void>
  /** Accepts a connection that did not come through the port. */
  accept(connection: Duplex): void
  /** Applies to later connections; present ones keep their certificates. */
  renew(tls: TlsConfig): void
  /** Closes the port, and each connection after its pending requests. Resolves when none is left, or after the limit. */
  drain(limitMs: number): Promise<void>
}

/** Passes every request to `handle`. If that rejects, the exchange is aborted and the process continues. */
export function createListener(
  config: ListenerConfig,
  handle: (exchange: Exchange, upgrade?: Upgrade) => Promise<void>,
  { log, clock, handshakeFailed, goaway }: ListenerDeps,
): Listener {
  const serve = (exchange: Exchange, upgrade?: Upgrade) => {
    handle(exchange, upgrade).catch((error: unknown) => {
      log.error('a request was broken off', { error })
      exchange.abort()
    })
  }
  const sessions = new IdleSessions(clock)
  const failed = handshakeFailed ?? (() => {})
  /** All connections, from their first byte on: an unfinished handshake must not delay shutdown. */
  const sockets = new Set<Duplex>()
  const server: Http2SecureServer = createSecureServer({
    ...contextOf(config.tls),
    requestCert: true,
    rejectUnauthorized: false,
    allowHTTP1: true,
    handshakeTimeout: 10_000,
    settings: { initialWindowSize: MEGABYTE, maxConcurrentStreams: 2000, maxHeaderListSize: MEGABYTE },
    maxSessionMemory: 256,
    maxHeaderListPairs: MOST_HEADERS,
    // A bound on reset streams (CVE-2023-44487): a burst, and a rate per second; beyond it the connection is closed.
    streamResetBurst: 400,
    streamResetRate: 50,
  })
  const use = (tls: TlsConfig, first: boolean) => {
    const context = contextOf(tls)
    // As in Go, a trusted certificate need not be self-signed. Node passes this option of its contexts on to clients only.
    if (!first || !context.ca.every(signedItself))
      Object.assign(server, { _sharedCreds: createSecureContext({ ...context, allowPartialTrustChain: true }) })
    for (const { names, cert, key } of tls.sni ?? [])
      for (const name of names) server.addContext(name, createSecureContext({ ...context, cert, key, allowPartialTrustChain: true }))
  }
  use(config.tls, true)
  // Idle HTTP/1.1 connections live as long as in Kubernetes; slow header blocks do not.
  Object.assign(server, { keepAliveTimeout: 180_000, headersTimeout: 30_000, requestTimeout: 300_000, maxHeaderSize: MEGABYTE })
  const responses = new Http1Responses()
  // For connections of HTTP/1.1 the server emits what a server of `node:http` does.
  const http1: EventEmitter = server
  http1.on('request', (request: IncomingMessage, response: ServerResponse) => {
    responses.add(response)
    serve(new Http1Exchange(request, response))
  })
  // The 'request' listener serves HTTP/1.1 only. Streams use the core API, at half the cost of the compatibility layer.
  server.removeAllListeners('stream')
  server.on('stream', (stream: ServerHttp2Stream, headers, _flags, raw: readonly string[]) => {
    quietErrors(stream, 'the exchange reads the close')
    sessions.use(stream)
    // Node's map of streams may hold it for longer; what the listeners hold ends here, all at once when none hears of each removal.
    stream.once('close', () => stream.removeAllListeners('removeListener').removeAllListeners())
    if (goaway?.() === true) stream.session?.close()
    serve(new Http2Exchange(stream, headers, raw))
  })
  http1.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    quietErrors(socket, 'the exchange reads the close')
    serve(rawExchange(request, socket), { socket, head })
  })
  // Responds to methods that Node's parser does not know.
  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex) => {
    const request = error.code === 'HPE_INVALID_METHOD' && error.rawPacket ? parseHead(error.rawPacket) : undefined
    if (request !== undefined && !socket.destroyed) serve(rawExchange(request, socket))
    else refuse(socket, error.code ?? '')
  })
  server.on('session', (session) => {
    session.setLocalWindowSize(16 * MEGABYTE)
    sessions.add(session)
    quietErrors(session, 'its streams read the close')
  })
  const secure = server.listeners('connection')
  const begin = (socket: Duplex) => {
    for (const listener of secure) Reflect.apply(listener, server, [socket])
  }
  const gate = new HandshakeGate({ clock, failed, begin })
  server.removeAllListeners('connection')
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    gate.admit(socket)
  })
  server.on('secureConnection', (socket) => {
    socket.setNoDelay(true)
    quietErrors(socket, 'its session reads the close')
  })
  server.on('tlsClientError', (_error, socket) => {
    failed()
    socket.destroy()
  })
  let closed: Promise<void> | undefined
  const others: Server[] = []
  /** Node sends GOAWAY to HTTP/2 clients and closes idle connections of HTTP/1.1; the rest end after their requests. */
  const close = async () => {
    for (const port of others) port.close()
    if (server.listening) closed = new Promise<void>((resolve) => server.close(() => resolve()))
    await closed
  }
  return {
    async open() {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        if (config.opened !== undefined) server.listen(config.opened.server, resolve)
        else server.listen({ host: config.host, port: config.port, backlog: 1024 }, resolve)
      })
      for (const socket of config.opened?.take() ?? []) server.emit('connection', socket)
      server.on('error', (error) => log.error('the listener failed', { error }))
      return (server.address() as AddressInfo).port
    },
    async openAlso(at) {
      const port = createServer((socket) => void server.emit('connection', socket))
      others.push(port)
      await new Promise<void>((resolve, reject) => {
        port.once('error', reject)
        port.listen({ ...at, backlog: 1024 }, resolve)
      })
      port.on('error', (error) => log.error('the listener failed', { error }))
    },
    accept: (connection) => void server.emit('connection', connection),
    renew: (tls) => use(tls, false),
    async drain(limitMs) {
      responses.announceClose()
      const limit = new AbortController()
      await Promise.race([close(), pause(clock, limitMs, limit.signal)])
      limit.abort()
    },
    async [Symbol.asyncDispose]() {
      const closed = close()
      sessions[Symbol.dispose]()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const contextOf = ({ cert, key, clientCa, frontProxyCa = '', minVersion, ciphers }: TlsConfig) => ({
  cert,
  key,
  ca: [clientCa, frontProxyCa].filter((pem) => pem !== ''),
  ...(minVersion !== undefined && { minVersion }),
  ...(ciphers !== undefined && { ciphers }),
})

/** Responds to an unreadable request as Go does, and closes its connection. */
function refuse(socket: Duplex, code: string): void {
  const answer = REFUSALS[code] ?? (code.startsWith('HPE_') ? '400 Bad Request' : undefined)
  if (answer === undefined || !socket.writable) return void socket.destroy()
  socket.end(`HTTP/1.1 ${answer}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${answer}`)
  // The listener's limits close a connection whose client does not read this.
  socket.on('finish', () => socket.destroy())
}

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

const signedItself = (pem: string): boolean => certificatesOf(pem).every((certificate) => certificate.checkIssued(certificate))
