import { Duplex } from 'node:stream'
import { networkErrorText } from '../base/http/network-error.ts'
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
        (error: Error) => stream.destroy(connectionError(error)),
      )
    },
    write(chunk: Uint8Array, _encoding, done) {
      const room = exchange.send(chunk)
      if (room === undefined) done()
      else
        room.then(
          () => done(),
          (error: Error) => done(connectionError(error)),
        )
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

/** What went wrong with a connection is not an answer of the API. */
export const connectionError = (error: Error): Error => new Error(error.message, { cause: error })

/** An error of a connection as it crosses: its text without the fields that Node's errors have. */
export const crossingError = (error: unknown): Error => new Error(networkErrorText(error), { cause: error })

/** Joins one of Node's streams to an exchange. Closing one end closes both; the other side gets the stream's error. */
export function joinStream(exchange: Exchange, stream: Duplex): void {
  const over = streamOver(exchange)
  const apart = (error?: Error) => {
    over.destroy(error)
    stream.destroy()
  }
  over.on('error', () => apart()).on('close', () => apart())
  stream.on('error', (error) => apart(crossingError(error))).on('close', () => apart())
  stream.pipe(over)
  over.pipe(stream)
}
