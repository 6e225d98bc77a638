import { createServer, type Server, type Socket } from 'node:net'
import { quietErrors } from './quiet.ts'

/** A port that is open before its server is ready: connections wait, and are served first. */
export interface OpenedPort {
  /** The listening server; a handler that replaces it gets the connections from then on. */
  readonly server: Server
  /** Returns the waiting connections; later ones are not kept. */
  take(): Socket[]
}

/** Opens a port at once; fails with Node's error (`EADDRINUSE`, …). */
export async function openPortEarly(at: { readonly host: string; readonly port: number }): Promise<OpenedPort> {
  const waiting: Socket[] = []
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    quietErrors(socket, 'a connection that breaks while it waits is not served')
    waiting.push(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...at, backlog: 1024 }, resolve)
  })
  quietErrors(server, 'later errors are those of single connections')
  return { server, take: () => waiting.splice(0).filter((socket) => !socket.destroyed) }
}
