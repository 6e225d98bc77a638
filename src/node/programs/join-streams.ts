import type { Duplex } from 'node:stream'
import type { ByteDuplex } from '../../machinery/streams.ts'

/** Carries bytes between a client and a connection, both ways, neither faster than the other takes it; resolves when both are done. */
export async function joinStreams({ source, sink }: ByteDuplex, connection: Duplex): Promise<void> {
  const closed = new Promise<void>((resolve) => connection.once('close', () => resolve()))
  const outward = async () => {
    for await (const chunk of source) if (!connection.write(chunk)) await drained(connection)
    connection.end()
  }
  const inward = async () => {
    for await (const chunk of connection) await sink.write(chunk)
    await sink.end()
  }
  try {
    // Who has no more to say may still listen; who is cut off does neither.
    await Promise.race([Promise.all([outward(), inward()]), closed.then(() => inwardEnd(sink))])
  } finally {
    connection.destroy()
  }
}

const inwardEnd = (sink: ByteDuplex['sink']) => sink.end()

function drained(connection: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      connection.off('drain', done)
      connection.off('close', gone)
      resolve()
    }
    const gone = () => {
      connection.off('drain', done)
      reject(new Error('the other side has gone'))
    }
    connection.once('drain', done)
    connection.once('close', gone)
  })
}
