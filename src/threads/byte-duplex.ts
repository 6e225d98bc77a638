import { Duplex } from 'node:stream'
import type { ByteDuplex } from '../machinery/streams.ts'
import type { Exchange } from './exchange.ts'

/** A connection over an exchange: what is sent there comes out here. */
export const duplexOver = (exchange: Exchange): ByteDuplex => ({
  source: exchange,
  sink: {
    async write(chunk) {
      await exchange.send(chunk)
    },
    async end() {
      exchange.end()
    },
  },
})

/** Joins a connection of this thread to an exchange, until both directions have ended; a failure of one side ends the other. */
export async function joinDuplex(exchange: Exchange, { source, sink }: ByteDuplex): Promise<void> {
  const inwards = async () => {
    for await (const chunk of exchange) await sink.write(chunk)
    await sink.end()
  }
  const outwards = async () => {
    for await (const chunk of source) await exchange.send(chunk)
    exchange.end()
  }
  try {
    await Promise.all([inwards(), outwards()])
  } catch (error) {
    exchange.fail(error)
    throw error
  }
}

/** The same connection as one of Node's streams. Destroying it fails the exchange. */
export function streamOver(exchange: Exchange): Duplex {
  const stream = new Duplex({
    read() {
      exchange.next().then(
        (chunk) => stream.push(chunk ?? null),
        (error: Error) => stream.destroy(error),
      )
    },
    write(chunk: Uint8Array, _encoding, done) {
      const room = exchange.send(chunk)
      if (room === undefined) done()
      else room.then(() => done(), done)
    },
    final(done) {
      exchange.end()
      done()
    },
    destroy(error, done) {
      exchange.fail(error ?? new Error('the connection was closed'))
      done(error)
    },
  })
  return stream
}

/** Joins one of Node's streams to an exchange. Who lets go of one end lets go of both. */
export function joinStream(exchange: Exchange, stream: Duplex): void {
  const over = streamOver(exchange)
  const apart = () => {
    over.destroy()
    stream.destroy()
  }
  over.on('error', apart).on('close', apart)
  stream.on('error', apart).on('close', apart)
  stream.pipe(over)
  over.pipe(stream)
}
