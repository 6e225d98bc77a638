import type { Duplex } from 'node:stream'
import type { ByteDuplex } from '../machinery/streams.ts'

/** A socket (or a similar stream) as plain byte streams. Writes wait while the other side is slow, and reject when it is gone. */
export function wireOf(socket: Duplex): ByteDuplex & { destroy(): void } {
  let failure: Error | undefined
  const gone = (error?: Error | null) => {
    failure ??= error ?? new Error('the connection was closed')
  }
  socket.once('error', gone)
  socket.once('close', gone)
  return {
    source: socket,
    sink: {
      write: (chunk) =>
        new Promise((resolve, reject) => {
          if (failure !== undefined) return reject(failure)
          socket.write(chunk, (error) => (error ? reject(error) : resolve()))
        }),
      end: () =>
        new Promise((resolve) => {
          if (failure !== undefined) return resolve()
          socket.end(() => resolve())
        }),
    },
    destroy: () => {
      socket.destroy()
    },
  }
}
