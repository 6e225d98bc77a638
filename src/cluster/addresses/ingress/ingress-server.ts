import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import type { SecureContext } from 'node:tls'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { SERVICES } from '../../../resources/refs.ts'
import { type DialServiceDeps, dialService } from '../dial-service.ts'
import { forwardRequest, forwardUpgrade, refuse } from './forward-request.ts'
import type { IngressRules, IngressTarget } from './ingress-rules.ts'

export interface IngressServerDeps extends DialServiceDeps {
  /** The rules now. */
  readonly rules: () => Promise<IngressRules>
  /** The certificate of a host; undefined: it has none, and the handshake fails. Absent: the server speaks HTTP. */
  readonly certificateOf?: (host: string) => SecureContext | undefined
}

/** Connections at a time; more are closed at once. */
const MAX_CONNECTIONS = 1024

/**
 * An HTTP/1.1 server, with TLS if it has certificates, that leads each request to a service: 404 without a rule for it, 503 without
 * endpoints, 502 for a backend that fails. A request has five minutes (Node's `requestTimeout`).
 */
export function createIngressServer({ rules, certificateOf, ...deps }: IngressServerDeps): http.Server {
  /** `none`: no rule is for the request. Undefined: there is no endpoint. */
  const connect = async (request: IncomingMessage): Promise<Duplex | 'none' | undefined> => {
    const { host, path } = requested(request)
    const target = (await rules()).find(host, path)
    if (target === undefined) return 'none'
    const service = readObject(deps.reader, SERVICES, target.namespace, target.service)
    const port = portOf(target, deps.reader)
    return service && port !== undefined ? dialService(service, port, deps) : undefined
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const connection = await connect(request).catch(() => undefined)
    if (connection === 'none') refuse(response, 404)
    else if (connection === undefined) refuse(response, 503)
    else forwardRequest(request, response, connection)
  }
  const server = certificateOf === undefined ? http.createServer(answer) : https.createServer(withCertificates(certificateOf), answer)
  server.on('upgrade', async (request, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    const connection = await connect(request).catch(() => undefined)
    if (connection === undefined || connection === 'none') client.destroy()
    else forwardUpgrade(request, client, head, connection)
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

/** A host without a certificate is refused with the alert `unrecognized_name`. */
const withCertificates = (certificateOf: (host: string) => SecureContext | undefined): https.ServerOptions => ({
  SNICallback(host, done) {
    const context = certificateOf(host)
    if (context === undefined) done(new Error(`no Ingress has a certificate for ${host}`))
    else done(null, context)
  },
})

/** The host without its port, and the path without a query. */
function requested({ headers: { host = '' }, url = '/' }: IncomingMessage) {
  const end = url.indexOf('?')
  return { host: host.replace(/:\d+$/, ''), path: end < 0 ? url : url.slice(0, end) }
}

/** The number of a port of a service that may be given by its name. */
function portOf({ namespace, service, port }: IngressTarget, reader: Reader): number | undefined {
  if (typeof port === 'number') return port
  const ports = readObject(reader, SERVICES, namespace, service)?.spec?.ports ?? []
  return ports.find(({ name }) => name === port)?.port
}
