import { type Duplex, duplexPair } from 'node:stream'
import { quietErrors } from './quiet.ts'
import { stirTurns } from './turns.ts'

/** The properties of `net.Socket` about its peer, for code that was written for sockets. */
export interface StreamEnd {
  readonly address: string
  readonly port: number
}

/** The addresses of both ends. */
export interface StreamEnds {
  readonly near: StreamEnd
  readonly far: StreamEnd
}

/** Two linked ends: what one writes the other reads. Closing one end closes both. */
export function linkedPair(): readonly [near: Duplex, far: Duplex] {
  const [near, far] = duplexPair()
  near.on('close', () => far.destroy())
  far.on('close', () => near.destroy())
  return [near, far]
}

/**
 * A connection inside the process: what one end writes the other reads, with back-pressure; closing one end closes both. Virtual time does
 * not advance while bytes are in transit. Both ends have the methods that HTTP calls on sockets.
 */
export function createStreamPair({ near, far }: StreamEnds): readonly [near: Duplex, far: Duplex] {
  const [one, other] = linkedPair()
  return [socketLike(one, near, far), socketLike(other, far, near)]
}

function socketLike(stream: Duplex, local: StreamEnd, remote: StreamEnd): Duplex {
  const write = stream._write.bind(stream)
  const final = stream._final.bind(stream)
  const family = (end: StreamEnd) => (end.address.includes(':') ? 'IPv6' : 'IPv4')
  const nothing = () => stream
  Object.assign(stream, {
    _write(chunk: unknown, encoding: BufferEncoding, done: (error?: Error | null) => void) {
      stirTurns()
      write(chunk, encoding, done)
    },
    _final(done: (error?: Error | null) => void) {
      stirTurns()
      final(done)
    },
    localAddress: local.address,
    localPort: local.port,
    localFamily: family(local),
    remoteAddress: remote.address,
    remotePort: remote.port,
    remoteFamily: family(remote),
    address: () => ({ address: local.address, port: local.port, family: family(local) }),
    setKeepAlive: nothing,
    setNoDelay: nothing,
    setTimeout: nothing,
    ref: nothing,
    unref: nothing,
  })
  quietErrors(stream, 'an error closes the connection; it must not end the process')
  return stream
}
