import http from 'node:http'
import type { Duplex } from 'node:stream'
import { insideConnections } from '../../../base/http/inside-connections.ts'
import type { Logger } from '../../../base/logger.ts'
import { quietErrors } from '../../../base/quiet.ts'
import { type Exchange, Http1Exchange } from '../exchange.ts'
import { rawExchange } from '../raw-exchange.ts'
import type { Upgrade } from './connect.ts'

/** Connections within this process: HTTP/1.1 without a socket and without TLS. Their clients are trusted as front proxies. */
export interface LocalConnections extends Disposable {
  connect(): Duplex
}

export function localConnections(
  handle: (exchange: Exchange, upgrade?: Upgrade) => Promise<void>,
  { log, trust }: { readonly log: Logger; readonly trust: (stream: Duplex) => void },
): LocalConnections {
  const serve = (exchange: Exchange, upgrade?: Upgrade) => {
    handle(exchange, upgrade).catch((error: unknown) => {
      log.error('a request was broken off', { error })
      exchange.abort()
    })
  }
  const server = http.createServer((request, response) => serve(new Http1Exchange(request, response)))
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    quietErrors(socket, 'the exchange reads the close')
    serve(rawExchange(request, socket), { socket, head })
  })
  const inside = insideConnections(server)
  return { connect: () => inside.connect(trust), [Symbol.dispose]: () => inside[Symbol.dispose]() }
}
