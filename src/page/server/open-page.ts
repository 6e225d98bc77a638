import type { Socket } from 'node:net'
import { openPortEarly } from '../../base/opened-port.ts'
import { type RandomBytes, systemRandomBytes } from '../../base/random.ts'
import type { PageServer, PageServerDeps } from './http/page-server.ts'

/** What a page is opened with. */
export interface OpenPageDeps extends Omit<PageServerDeps, 'port' | 'key' | 'browsersChanged'> {
  /** Default: the operating system's. */
  readonly randomBytes?: RandomBytes
}

/** A page that is open, until it is disposed of. */
export interface OpenPage extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/#KEY`: it gives the rights of the page's client. */
  readonly link: string
  /** Resolves when browsers have opened the page and have gone, or it is disposed of. The process does not end before. */
  untilLeft(): Promise<void>
}

/** 256 bits: the key is not guessed. */
const KEY_BYTES = 32
/** A tab that is loaded again is away for less. */
const AWAY_MS = 2_000

/**
 * Opens the page's port on 127.0.0.1 (0: a free one). All else is loaded with the first connection, so that a page that is not
 * used costs one socket. @throws Node's error (`EADDRINUSE`, …)
 */
export async function openPage(port: number, { randomBytes = systemRandomBytes, ...deps }: OpenPageDeps): Promise<OpenPage> {
  const key = Buffer.from(randomBytes(KEY_BYTES)).toString('base64url')
  const opened = await openPortEarly({ host: '127.0.0.1', port })
  const address = opened.server.address()
  const own = address !== null && typeof address === 'object' ? address.port : port
  let server: Promise<PageServer> | undefined
  let left = Promise.withResolvers<void>()
  let cancelLeaving = () => {}
  const browsersChanged = (count: number) => {
    cancelLeaving()
    if (count === 0) cancelLeaving = deps.clock.after(AWAY_MS, () => left.resolve())
  }
  const load = async () => (await import('./http/page-server.ts')).createPageServer({ ...deps, port: own, key, browsersChanged })
  const serve = async () => {
    server ??= load()
    const loaded = await server
    for (const socket of opened.take()) accept(loaded, socket)
  }
  const sockets = new Set<Socket>()
  opened.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    void serve()
  })
  opened.server.unref()
  return {
    link: `http://127.0.0.1:${own}/#${key}`,
    async untilLeft() {
      cancelLeaving()
      left = Promise.withResolvers()
      opened.server.ref()
      await left.promise
      opened.server.unref()
    },
    async [Symbol.asyncDispose]() {
      cancelLeaving()
      left.resolve()
      const closed = new Promise<void>((resolve) => opened.server.close(() => resolve()))
      const loaded = await server
      const stopped = loaded?.stop()
      // Browsers keep connections open, also some on which they have sent nothing.
      for (const socket of sockets) socket.destroy()
      await closed
      await stopped
    },
  }
}

/** Connections wait unread until the code is there. */
function accept(server: PageServer, socket: Socket): void {
  server.accept(socket)
  socket.resume()
}
