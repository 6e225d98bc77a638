import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Clock } from '../../base/clock.ts'
import { type InsideConnections, insideConnections } from '../../base/http/inside-connections.ts'
import type { Logger } from '../../base/logger.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createKubeletAccess } from './access/kubelet-access.ts'
import type { Caller } from './api-request.ts'
import type { KubeletApiConfig } from './configuration.ts'
import type { KubeletHost } from './kubelet-host.ts'
import { createRequestCounts } from './metrics/request-counts.ts'
import { routeTable } from './route-table.ts'
import { type ServeDeps, serveRequest, serveUpgrade } from './serve-request.ts'

export interface KubeletApiDeps {
  readonly host: KubeletHost
  /** Authenticates as `system:node:<name>`; creates TokenReviews and SubjectAccessReviews. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  /** `v1.36.3`. */
  readonly version: string
}

/** In PEM. */
export interface ServingCertificate {
  readonly cert: string
  readonly key: string
}

/** The server's address and TLS material, in PEM. */
export interface KubeletListener {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Absent: every handshake fails, until `renew` gives one. */
  readonly certificate?: ServingCertificate
  /** The CA of client certificates. Absent: none is trusted. */
  readonly clientCa?: string
}

/** The HTTPS server of a kubelet. It opens no port before `listen`. */
export interface KubeletApi extends AsyncDisposable {
  /** A connection inside the process, which speaks HTTP/1.1, for a user who is authorized for everything: the API server. */
  connect(user: UserInfo): Duplex
  /** Opens a port; resolves with its number. */
  listen(listener: KubeletListener): Promise<number>
  /** Later connections to its ports get this certificate. */
  renew(certificate: ServingCertificate): void
}

/** Idle timeout of a connection, as in Go's server. */
const IDLE_MS = 90_000

export function createKubeletApi(config: KubeletApiConfig, { host, client, clock, log, version }: KubeletApiDeps): KubeletApi {
  const counts = createRequestCounts(clock)
  const deps: ServeDeps = {
    table: routeTable({ host, config, clock, startedMs: clock.now(), version, counts: counts.families }),
    access: createKubeletAccess(config.access, { nodeName: host.nodeName, client, clock }),
    begin: counts.begin,
    log,
  }
  const trusted = new WeakMap<Duplex, UserInfo>()
  const callerOf = (request: IncomingMessage, socket: Duplex): Caller => {
    const user = trusted.get(socket)
    return {
      ...(user !== undefined && { trusted: user }),
      ...(request.headers.authorization !== undefined && { authorization: request.headers.authorization }),
      ...(socket instanceof TLSSocket && certificateOf(socket)),
    }
  }
  const prepare = <S extends http.Server | https.Server>(server: S): S => {
    server.keepAliveTimeout = IDLE_MS
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void serveRequest(request, response, callerOf(request, request.socket), deps)
    })
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      void serveUpgrade(request, { socket, head }, callerOf(request, socket), deps)
    })
    return server
  }
  /** Upgraded connections, which the HTTP server does not close by itself. */
  const open = new Set<Duplex>()
  let inside: InsideConnections | undefined
  const listening: https.Server[] = []
  /** How clients of each port prove who they are. */
  const proven = new Map<https.Server, { readonly ca?: string }>()

  return {
    connect(user) {
      inside ??= insideConnections(prepare(http.createServer()))
      return inside.connect((far) => trusted.set(far, user))
    },
    async listen({ host: address, port, certificate, clientCa }) {
      // A client without a certificate, or with an untrusted one, may still send a token.
      const proofs = { requestCert: true, rejectUnauthorized: false, ...(clientCa !== undefined && { ca: clientCa }) }
      const server = prepare(https.createServer({ ...certificate, ...proofs, ALPNProtocols: ['http/1.1'] }))
      server.on('clientError', (_error, socket) => socket.destroy())
      server.on('tlsClientError', (_error, socket) => socket.destroy())
      server.listen(port, address)
      await once(server, 'listening')
      listening.push(server)
      proven.set(server, proofs)
      return (server.address() as AddressInfo).port
    },
    renew(certificate) {
      for (const [server, proofs] of proven) server.setSecureContext({ ...certificate, ...proofs })
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      inside?.[Symbol.dispose]()
      await Promise.all(
        listening.map((server) => {
          const closed = once(server, 'close')
          server.close()
          server.closeAllConnections()
          return closed
        }),
      )
    },
  }
}

function certificateOf(socket: TLSSocket): Pick<Caller, 'certificate' | 'wrongCertificate'> {
  const { subject, fingerprint256 } = socket.getPeerCertificate()
  if (subject === undefined) return {}
  if (!socket.authorized) return { wrongCertificate: true }
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase()
  // With several attributes of one name this is an array, whatever its type says.
  const [names, organizations] = [subject.CN, subject.O].map((v) => [v ?? []].flat() as readonly string[])
  return { certificate: { commonName: names?.at(-1) ?? '', organizations: organizations ?? [], fingerprint } }
}
