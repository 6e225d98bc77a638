import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { quietErrors } from '../base/quiet.ts'
import type { Later } from '../base/steps.ts'
import { serveUpgrades, type UpgradeDeps } from './store-upgrade.ts'

/** What is served behind the port. */
export interface PortDeps extends UpgradeDeps {
  /** Called with an HTTP/2 connection: gRPC. */
  readonly grpc: (socket: Duplex) => void
  /** A page over HTTP/1.1; undefined where there is none. */
  readonly page: (request: IncomingMessage) => Later<Page | undefined>
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string | undefined }
}

export interface Page {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** One port for HTTP/1.1, gRPC, and the API server's own connection, as etcd has one for all of its clients. */
export interface Port extends AsyncDisposable {
  readonly address: { readonly host: string; readonly port: number }
}

/** The first bytes of HTTP/2. */
const PREFACE = Buffer.from('PRI')

/** Opens a port; fails with Node's error (`EADDRINUSE`, …). */
export async function openPort(at: { readonly host: string; readonly port: number }, deps: PortDeps): Promise<Port> {
  const sockets = new Set<Duplex>()
  const http = httpServer(deps)
  const hear = (socket: Duplex) => {
    sockets.add(socket)
    quietErrors(socket, 'the close event follows')
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      if (first.subarray(0, PREFACE.length).equals(PREFACE)) deps.grpc(socket)
      else {
        http.emit('connection', socket)
        socket.resume()
      }
    })
  }
  const server = deps.tls === undefined ? createServer({ noDelay: true }, hear) : await tlsServer(deps.tls, hear)
  await listening(server, at)
  const address = server.address()
  return {
    address: { host: at.host, port: typeof address === 'object' && address !== null ? address.port : at.port },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The peer port of etcd: it is opened, and never responds. */
export async function holdPort(at: { readonly host: string; readonly port: number }): Promise<AsyncDisposable> {
  const server = createServer((socket) => {
    quietErrors(socket, 'it is closed at once')
    socket.end()
  })
  await listening(server, at)
  return {
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const listening = (server: Server, at: { readonly host: string; readonly port: number }) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: at.host, port: at.port, backlog: 1024 }, () => {
      server.off('error', reject)
      resolve()
    })
  })

async function tlsServer(tls: NonNullable<PortDeps['tls']>, hear: (socket: Duplex) => void): Promise<Server> {
  const { createServer: createTlsServer } = await import('node:tls')
  const { cert, key, ca } = tls
  const server = createTlsServer(
    { cert, key, ALPNProtocols: ['h2', 'http/1.1'], ...(ca !== undefined && { ca, requestCert: true, rejectUnauthorized: true }) },
    hear,
  )
  server.on('tlsClientError', (_error, socket: Socket) => socket.destroy())
  return server
}

function httpServer(deps: PortDeps): HttpServer {
  const upgrades = serveUpgrades(deps)
  const server = createHttpServer((request, response) => {
    if (upgrades.challenge(request, response)) return
    Promise.try(() => deps.page(request)).then(
      (page) => answer(response, page ?? { status: 404, type: 'text/plain; charset=utf-8', body: '404 page not found\n' }),
      () => answer(response, { status: 500, type: 'text/plain; charset=utf-8', body: 'internal error\n' }),
    )
  })
  server.on('upgrade', upgrades.upgrade)
  return server
}

function answer(response: ServerResponse, { status, type, body }: Page): void {
  response.writeHead(status, {
    'Access-Control-Allow-Headers': 'accept, content-type, authorization',
    'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE',
    'Access-Control-Allow-Origin': '*',
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}
