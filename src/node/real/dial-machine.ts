import { once } from 'node:events'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { onAbort } from '../../base/on-abort.ts'

/** A connection from the node itself. */
export async function dialMachine(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
  const socket = net.connect({ host, port })
  using _ = onAbort(signal, () => socket.destroy())
  await once(socket, 'connect', { signal })
  return socket
}
