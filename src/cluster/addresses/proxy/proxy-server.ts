import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import type { SecureContext } from 'node:tls'
import { type Changes, forwardRequest, forwardUpgrade, refuse } from './forward-request.ts'

/** What is done with a request. */
export type Decision =
  | { readonly kind: 'forward'; readonly connection: Duplex; readonly changes?: Changes }
  | { readonly kind: 'redirect'; readonly code: number; readonly location: string }
  | { readonly kind: 'refuse'; readonly code: 404 | 500 | 503 }

export interface ProxyServerDeps {
  /** Undefined, or an error: no endpoint takes the request (503). */
  readonly decide: (request: IncomingMessage) => Promise<Decision | undefined>
  /** The certificate of a host; undefined: it has none, and the handshake fails. Absent: the server speaks HTTP. */
  readonly certificateOf?: ((host: string) => SecureContext | undefined) | undefined
}

/** Connections at a time; more are closed at once. */
const MAX_CONNECTIONS = 1024
const NO_ENDPOINT: Decision = { kind: 'refuse', code: 503 }

/**
 * An HTTP/1.1 server, with TLS if it has certificates, that leads each request where `decide` says; a backend that fails is a 502. A
 * request has five minutes (Node's `requestTimeout`).
 */
export function createProxyServer({ decide, certificateOf }: ProxyServerDeps): http.Server {
  const decided = async (request: IncomingMessage): Promise<Decision> => (await decide(request).catch(() => undefined)) ?? NO_ENDPOINT
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const decision = await decided(request)
    if (decision.kind === 'forward') forwardRequest(request, response, decision.connection, decision.changes)
    else if (decision.kind === 'redirect') response.writeHead(decision.code, { location: decision.location }).end()
    else refuse(response, decision.code)
  }
  const server = certificateOf === undefined ? http.createServer(answer) : https.createServer(withCertificates(certificateOf), answer)
  server.on('upgrade', async (request, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const decision = await decided(request)
    if (decision.kind === 'forward') forwardUpgrade(request, { socket, head }, decision.connection, decision.changes)
    else socket.destroy()
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

/** A host without a certificate is refused with the alert `unrecognized_name`. */
const withCertificates = (certificateOf: (host: string) => SecureContext | undefined): https.ServerOptions => ({
  SNICallback(host, done) {
    const context = certificateOf(host.toLowerCase())
    if (context === undefined) done(new Error(`there is no certificate for ${host}`))
    else done(null, context)
  },
})

/** The host without its port, in lower case, and the path without the query. */
export function requested({ headers: { host = '' }, url = '/' }: IncomingMessage): { readonly host: string; readonly path: string } {
  const end = url.indexOf('?')
  return { host: host.replace(/:\d+$/, '').toLowerCase(), path: end < 0 ? url : url.slice(0, end) }
}
