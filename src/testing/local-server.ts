import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A server on a free port of 127.0.0.1. */
export interface LocalServer extends AsyncDisposable {
  readonly port: number
}

/** Opens a server. When it is disposed of, it breaks the connections that its clients keep open. */
export async function openLocalServer(server: Server): Promise<LocalServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
