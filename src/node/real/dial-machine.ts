import { once } from 'node:events'
import net from 'node:net'
import type { Duplex } from 'node:stream'

/** A connection from the node itself. */
export async function dialMachine(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
  const socket = net.connect({ host, port })
  const stop = () => socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
