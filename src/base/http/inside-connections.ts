import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { quietErrors } from '../quiet.ts'
import { linkedPair } from '../stream-pair.ts'

/** Connections from inside the process to an HTTP server without a port. They use HTTP/1.1. */
export interface InsideConnections extends Disposable {
  /** Opens one; `prepare` gets the server's end before the server does. */
  connect(prepare?: (far: Duplex) => void): Duplex
}

/** Disposing of them breaks off all that are open. */
export function insideConnections(server: Server): InsideConnections {
  const open = new Set<Duplex>()
  server.on('clientError', (_error, socket) => socket.destroy())
  return {
    connect(prepare) {
      const [near, far] = linkedPair()
      prepare?.(far)
      open.add(far)
      far.on('close', () => open.delete(far))
      quietErrors(far, 'the close event follows')
      server.emit('connection', far)
      return near
    },
    [Symbol.dispose]() {
      for (const one of open) one.destroy()
    },
  }
}
