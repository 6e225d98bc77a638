import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { quietErrors } from '../../../base/quiet.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { PROTOCOL, SOCKET_PATH, TERMINAL_PATH } from '../../wire/protocol.ts'
import { KindCatalogue } from '../kinds/kind-catalogue.ts'
import { Forks, type Laboratory } from '../lab/forks.ts'
import { ClusterIndex } from '../overview/cluster-index.ts'
import { Collections } from '../rows/collections.ts'
import type { PageWorld } from '../session/page-world.ts'
import { Session } from '../session/session.ts'
import { browserFiles } from './browser-files.ts'
import { type Refusal, refusalOf, socketRefusalOf } from './check-request.ts'
import { PAGE_HEADERS, TERMINAL_HEADERS } from './page-headers.ts'
import { viewedAs } from './viewed-as.ts'
import { ViewedWorlds } from './viewed-worlds.ts'

/** What the page is about, and where it is. */
export interface PageServerDeps extends Pick<PageWorld, 'client' | 'clock' | 'clusterName' | 'serverAddress'> {
  readonly port: number
  readonly key: string
  /** What can be done with the whole cluster. Default: nothing, for it is of another process. */
  readonly lab?: Laboratory
  /** Clients of other users, whose view of the cluster browsers may ask for. Default: there are none. */
  readonly clientAs?: (user: UserInfo) => Client
  /** Default false: what the client may write, browsers may. */
  readonly readOnly?: boolean
  /** Called with the number of browsers, when one comes or goes. */
  browsersChanged(count: number): void
}

/** Serves connections of the page's port. */
export interface PageServer {
  accept(socket: Socket): void
  /** Resolves when what browsers have started has ended. */
  stop(): Promise<void>
}

/** The most browsers (tabs) at once. */
const MAX_SESSIONS = 32
/** What a browser may send at once: a draft has two texts of an object, which has 1.5 MiB at most. */
const MAX_MESSAGE_BYTES = 5 * 1024 * 1024
const HEAD_MS = 10_000
const MAX_HEAD_BYTES = 16 * 1024

/** The page's HTTP server: its files, and one WebSocket for each browser. */
export function createPageServer(deps: PageServerDeps): PageServer {
  const { client, clock, port, key, lab, readOnly = false } = deps
  const catalogue = new KindCatalogue(client)
  const collections = new Collections({ client, clock })
  const forks = lab && new Forks(lab, clock)
  const own: PageWorld = {
    ...deps,
    user: '',
    canViewAs: false,
    readOnly,
    catalogue,
    collections,
    lab,
    forks,
    index: new ClusterIndex(catalogue, collections),
  }
  const worlds = new ViewedWorlds(own, deps.clientAs)
  const files = browserFiles()
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: () => PROTOCOL,
  })
  const count = () => deps.browsersChanged(sockets.clients.size)
  const http: Server = createServer({ headersTimeout: HEAD_MS, requestTimeout: HEAD_MS, maxHeaderSize: MAX_HEAD_BYTES })
  http.on('request', (request, response) => {
    const refusal = refusalOf(judged(request), port)
    if (refusal !== undefined) refuse(response, refusal)
    else answer(request, response, files)
  })
  http.on('upgrade', (request, socket, head) => {
    const refusal = upgradeRefusal(request, sockets.clients.size, { port, key })
    if (refusal !== undefined) refuseUpgrade(socket, refusal)
    else {
      const world = worlds.of(viewedAs(request.headers))
      if (world === undefined) refuseUpgrade(socket, NO_OTHER_USER)
      else
        sockets.handleUpgrade(request, socket, head, (ws) => {
          serveSocket(world, ws)
          count()
          ws.on('close', count)
        })
    }
  })
  return {
    accept: (socket) => http.emit('connection', socket),
    async stop() {
      for (const ws of sockets.clients) ws.terminate()
      http.closeAllConnections()
      worlds.stop()
      await forks?.stop()
    },
  }
}

const NO_OTHER_USER: Refusal = {
  code: 403,
  message: 'the cluster cannot be shown as that user: too many are looked at, or this page has one user',
}

const judged = ({ method = '', httpVersion, headers }: IncomingMessage) => ({ method, httpVersion, headers })

function upgradeRefusal(request: IncomingMessage, open: number, { port, key }: { port: number; key: string }): Refusal | undefined {
  if (request.url !== SOCKET_PATH) return { code: 400, message: `the socket is at ${SOCKET_PATH}` }
  if (open >= MAX_SESSIONS) return { code: 403, message: `${MAX_SESSIONS} pages are open already: close one` }
  return socketRefusalOf(judged(request), port, key)
}

function serveSocket(world: PageWorld, ws: WebSocket): void {
  const session = new Session(world, {
    get bufferedAmount() {
      return ws.bufferedAmount
    },
    send: (text) => ws.send(text),
    close: (code, reason) => ws.close(code, reason),
    terminate: () => ws.terminate(),
  })
  quietErrors(ws, 'the close event follows, and ends the session')
  ws.on('close', () => session.stop())
  ws.on('message', (data: RawData) => session.receive(String(data)))
}

function answer(request: IncomingMessage, response: ServerResponse, files: ReturnType<typeof browserFiles>): void {
  if (files === undefined) {
    const message = 'the page was not built: run `npm ci`, or `node scripts/build-page.mjs`'
    response.writeHead(503, { ...PAGE_HEADERS, 'content-type': 'text/plain' }).end(message)
    return
  }
  // A target need not be a URL: `//` is none.
  const [path = '/'] = (request.url ?? '/').split(/[?#]/, 1)
  // A path without a dot is a view: the browser's code reads it.
  const file = files.get(path) ?? (path.includes('.') && path.lastIndexOf('/') === 0 ? undefined : files.get('/'))
  if (file === undefined) {
    response.writeHead(404, { ...PAGE_HEADERS, 'content-type': 'text/plain' }).end('there is no such file')
    return
  }
  const headers = path === TERMINAL_PATH ? TERMINAL_HEADERS : PAGE_HEADERS
  response.writeHead(200, { ...headers, 'content-type': file.type, 'content-length': file.body.length })
  response.end(request.method === 'HEAD' ? undefined : file.body)
}

function refuse(response: ServerResponse, { code, message }: Refusal): void {
  response.writeHead(code, { ...PAGE_HEADERS, 'content-type': 'text/plain', connection: 'close' }).end(message)
}

function refuseUpgrade(socket: Duplex, { code, message }: Refusal): void {
  quietErrors(socket, 'the client may have gone before it is refused')
  const head = `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\nContent-Type: text/plain\r\nContent-Length: ${message.length}\r\nConnection: close\r\n\r\n`
  socket.end(head + message)
}
