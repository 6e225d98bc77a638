import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import { type Duplex, Readable } from 'node:stream'
import tls from 'node:tls'
import type { NetworkStack } from '../network/network-stack.ts'
import type { FetchHandler, ListenOptions, PortHandler, PortTls, ProgramPort } from './program.ts'

export interface OpenPortDeps {
  readonly stack: NetworkStack
  /** Reads a file of the container as it is now. */
  readonly read: (path: string) => string
  /** Something that a handler threw, or a certificate that cannot be used. */
  readonly failed: (what: string, error: unknown) => void
  /** Keeps what lets go of the port at the end of its process. */
  readonly hold: (letGo: () => void) => () => void
  /** Called before a handler runs. */
  readonly entered?: (() => void) | undefined
  /** The port is closed. */
  readonly closed: () => void
}

export type AnyHandler = PortHandler | FetchHandler | RequestListener

/** Opens a port of a pod for a program. Throws a `ConnectError` when it is taken. */
export function openPort(port: number, handler: AnyHandler, options: ListenOptions, deps: OpenPortDeps): ProgramPort {
  const open = new Set<Duplex>()
  const serve = serverOf(handlerOf(handler), options.tls, deps)
  const bound = deps.stack.listen(port, options.host ?? '', (connection) => {
    open.add(connection)
    connection.once('close', () => open.delete(connection))
    serve(connection)
  })
  let closed = false
  const close = () => {
    if (closed) return
    closed = true
    letGo()
    bound.close()
    for (const connection of open) connection.destroy()
    deps.closed()
  }
  const letGo = deps.hold(close)
  return { port: bound.port, close, [Symbol.asyncDispose]: async () => close() }
}

function handlerOf(handler: AnyHandler): PortHandler {
  if (typeof handler !== 'function') return handler
  return isFetchHandler(handler) ? { fetch: handler } : { http: handler }
}

/** Answers of Node's kind are written to a second parameter. */
const isFetchHandler = (handler: FetchHandler | RequestListener): handler is FetchHandler => handler.length < 2

type Serve = (connection: Duplex) => void

function serverOf(handler: PortHandler, secure: PortTls | undefined, deps: OpenPortDeps): Serve {
  if ('connection' in handler) {
    const { connection: take } = handler
    if (secure === undefined) return (connection) => guarded(deps, () => take(connection), connection)
    return secured(secure, deps, (context, connection) => {
      const socket = new tls.TLSSocket(connection, { isServer: true, ...context })
      socket.on('error', () => connection.destroy())
      guarded(deps, () => take(socket), socket)
    })
  }
  const listener = 'http' in handler ? handler.http : fetchListener(handler.fetch, secure !== undefined, deps)
  const answer: RequestListener = (request, response) => guarded(deps, () => listener(request, response), response)
  if (secure === undefined) {
    const server = prepared(http.createServer(answer))
    return (connection) => void server.emit('connection', connection)
  }
  let made: { readonly key: string; readonly server: https.Server } | undefined
  return secured(secure, deps, (context, connection) => {
    const key = JSON.stringify(context)
    if (made?.key !== key) made = { key, server: prepared(https.createServer(context, answer)) }
    made.server.emit('connection', connection)
  })
}

function prepared<T extends http.Server>(server: T): T {
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}

interface Context {
  readonly cert: string
  readonly key: string
  readonly ca?: string
  readonly requestCert?: true
  readonly rejectUnauthorized?: true
}

/**
 * Certificates are looked at for each connection: a secret that was renewed is taken, one that cannot be read costs this connection alone.
 */
function secured(secure: PortTls, { read, failed }: OpenPortDeps, serve: (context: Context, connection: Duplex) => void): Serve {
  return (connection) => {
    try {
      const { certFile, keyFile, clientCa } = secure
      const cert = secure.cert ?? (certFile === undefined ? '' : read(certFile))
      const key = secure.key ?? (keyFile === undefined ? '' : read(keyFile))
      serve({ cert, key, ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }) }, connection)
    } catch (error) {
      failed('the certificate of a port cannot be used', error)
      connection.destroy()
    }
  }
}

/** What a handler throws is its process's to print, and ends the connection alone. */
function guarded(deps: OpenPortDeps, work: () => unknown, connection: { destroy(): unknown }): void {
  const fail = (error: unknown) => {
    deps.failed('a connection could not be answered', error)
    connection.destroy()
  }
  try {
    deps.entered?.()
    const done = work()
    if (done instanceof Promise) done.catch(fail)
  } catch (error) {
    fail(error)
  }
}

function fetchListener(handler: FetchHandler, secure: boolean, deps: OpenPortDeps): RequestListener {
  return async (request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Error('the client has gone')))
    let answer: Response
    try {
      answer = await handler(requestOf(request, secure, gone.signal))
    } catch (error) {
      deps.failed('a request could not be answered', error)
      answer = new Response('Internal Server Error\n', { status: 500 })
    }
    const cookies = answer.headers.getSetCookie()
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'set-cookie'))
    response.writeHead(answer.status, answer.statusText || undefined, { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) })
    if (answer.body === null || request.method === 'HEAD') return void response.end()
    const body = Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream)
    body.on('error', () => response.destroy())
    response.on('close', () => body.destroy())
    body.pipe(response)
  }
}

const BODILESS = new Set(['GET', 'HEAD'])

function requestOf(request: http.IncomingMessage, secure: boolean, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers, rawHeaders } = request
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) pairs.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? ''])
  const address = URL.parse(url, `${secure ? 'https' : 'http'}://${headers.host ?? 'localhost'}`) ?? new URL('http://localhost/')
  return new Request(address, {
    method,
    headers: pairs,
    signal,
    ...(!BODILESS.has(method) && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' as const }),
  })
}
