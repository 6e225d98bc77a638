import type { Duplex } from 'node:stream'
import type { ConnectResponse } from '../../extension-points.ts'
import type { ConnectionSource } from '../../handlers/connect.ts'
import type { Exchange } from '../exchange.ts'
import { drained } from '../response/drained.ts'

export interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}

/** A stream or proxy request that came over a socket. */
export const sourceOf = (exchange: Exchange, upgrade: Upgrade | undefined): ConnectionSource => ({
  method: exchange.method,
  url: exchange.url,
  headers: exchange.headers,
  body: exchange.input,
  ...(upgrade && { upgrade }),
})

export const answerOf = (exchange: Exchange): ConnectResponse => ({
  start: (status, headers) => exchange.start(status, headers),
  write: (chunk) => exchange.write(chunk),
  drained: () => drained(exchange),
  end: () => exchange.end(),
})
