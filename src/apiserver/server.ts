import type { Duplex } from 'node:stream'
import { systemClock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import { createStreamPair } from '../base/stream-pair.ts'
import type { EncodedTransport, Transport } from '../machinery/api-call.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import type { ServerConfig, ServerDeps, ServingDeps } from './deps.ts'
import { plainPaths } from './discovery/plain-paths.ts'
import { encodedTransport } from './encoded/encoded-transport.ts'
import type { ServerTools } from './extension-points.ts'
import { createListener, type ListenAt, type Listener } from './http/connection/listener.ts'
import { type LocalConnections, localConnections } from './http/connection/local-connections.ts'
import { createPeers } from './http/connection/peers.ts'
import { REQUEST_LIMIT_MS } from './http/connection/request-limit.ts'
import { TimeLimits } from './http/connection/time-limits.ts'
import type { TlsConfig } from './http/connection/tls-config.ts'
import type { HttpServer } from './http/http-server.ts'
import { OpenWatches } from './http/open-watches.ts'
import { ZippedSegments } from './http/response/zipped-segments.ts'
import { serve } from './http/serve.ts'
import { createImpersonation } from './identity/impersonation.ts'
import { inProcess } from './in-process/in-process-transport.ts'
import { createResourceStore } from './store/resource-store.ts'

/** A Kubernetes API server. */
export interface ApiServer extends AsyncDisposable {
  readonly tools: ServerTools
  /** Opens the port. Resolves with the address that clients use: `https://127.0.0.1:6443`. */
  listen(): Promise<{ readonly address: string; readonly port: number }>
  /** Opens one more port for the same requests. Rejects with Node's error (`EADDRINUSE`, …). */
  listenAlso(at: ListenAt): Promise<void>
  /** The server is about to stop: `/readyz` fails from now on, everything else continues. */
  stopping(): void
  /**
   * Closes the port and ends all watches; HTTP/2 clients get GOAWAY, and requests that have begun are answered. Resolves when the last
   * connection is closed, or after the limit.
   */
  drain(limitMs: number): Promise<void>
  /** A connection without a socket for a front proxy of this process: HTTP/1.1 without TLS, whose headers name the user. */
  connect(): Duplex
  /** A connection without a socket to the server's own port: with TLS, like any other. Undefined if the server has no certificates. */
  connectSecurely(): Duplex | undefined
  /** Calls into this server in the same process, as that user, through the same pipeline. */
  transport(user: UserInfo): Transport
  /** The same for clients in other threads. */
  encodedTransport(user: UserInfo): EncodedTransport
}

/** Undefined: connections are never sent elsewhere. */
const goawayBy = (chance: number, random: Random) => (chance > 0 ? () => random.next() < chance : undefined)

/** Builds the server; opens nothing before `listen`. */
export function createServer(config: ServerConfig, given: ServerDeps): ApiServer {
  const store = createResourceStore({ ...given, allowPrivileged: given.allowPrivileged ?? false })
  const deps: ServingDeps = { ...given, store }
  const tools: ServerTools = {
    reader: deps.watchCache.reader,
    authorizer: deps.authorizer,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    transport: (user) => inProcess(() => serving, user),
    store,
  }
  let listener: Listener | undefined
  let port: number | undefined
  let local: LocalConnections | undefined
  let turns: Disposable | undefined
  let following: Disposable | undefined
  let stopping = false
  const socketClock = deps.socketClock ?? systemClock
  const serving: HttpServer = {
    deps,
    tools,
    plain: plainPaths(config, { ...deps, stopping: () => stopping }, () => `${config.advertise ?? config.host}:${port ?? config.port}`),
    impersonation: createImpersonation(deps.authorizer),
    peers: createPeers(config.tls ?? { clientCa: '' }),
    segments: new ZippedSegments(),
    watches: new OpenWatches(),
    limits: new TimeLimits(socketClock, config.requestTimeoutMs ?? REQUEST_LIMIT_MS),
    clock: socketClock,
  }
  /** Created by the first connection, or with the port. */
  const listenerOf = (tls: TlsConfig): Listener => {
    if (listener !== undefined) return listener
    const own = createListener(
      { host: config.host, port: config.port, tls, ...(config.opened && { opened: config.opened }) },
      (exchange, upgrade) => serve(serving, exchange, upgrade),
      {
        log: deps.log,
        clock: socketClock,
        handshakeFailed: () => deps.metrics?.handshakeFailed(),
        goaway: goawayBy(config.goawayChance ?? 0, deps.random),
      },
    )
    listener = own
    following = config.onTlsChange?.((changed) => {
      own.renew(changed)
      serving.peers.renew(changed)
      deps.log.info('certificates have changed, and are used from now on')
    })
    return own
  }
  return {
    tools,
    transport: tools.transport,
    encodedTransport: (user) => encodedTransport(() => serving, user),
    stopping() {
      stopping = true
    },
    async drain(limitMs) {
      stopping = true
      const closing = listener?.drain(limitMs)
      serving.watches.end()
      await closing
    },
    connect() {
      local ??= localConnections((exchange, upgrade) => serve(serving, exchange, upgrade), { log: deps.log, trust: serving.peers.trust })
      return local.connect()
    },
    connectSecurely() {
      if (config.tls === undefined) return undefined
      const [near, far] = createStreamPair({
        near: { address: config.host, port: 0 },
        far: { address: config.host, port: port ?? config.port },
      })
      listenerOf(config.tls).accept(far)
      return near
    },
    async listenAlso(at) {
      if (config.tls === undefined) throw new Error('this server was made without certificates: it cannot listen')
      await listenerOf(config.tls).openAlso(at)
    },
    async listen() {
      if (config.tls === undefined) throw new Error('this server was made without certificates: it cannot listen')
      port = await listenerOf(config.tls).open()
      turns = deps.metrics?.watchTurns()
      return { address: `https://${config.host}:${port}`, port }
    },
    async [Symbol.asyncDispose]() {
      turns?.[Symbol.dispose]()
      following?.[Symbol.dispose]()
      local?.[Symbol.dispose]()
      await listener?.[Symbol.asyncDispose]()
    },
  }
}
