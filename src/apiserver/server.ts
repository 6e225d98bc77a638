import type { Duplex } from 'node:stream'
import { systemClock } from '../base/clock.ts'
import { hostPort } from '../base/http/host-port.ts'
import { createStreamPair } from '../base/stream-pair.ts'
import type { EncodedTransport, Transport } from '../machinery/api-call.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import type { ServerConfig, ServerDeps, ServingDeps } from './deps.ts'
import { plainPaths } from './discovery/plain-paths.ts'
import { encodedTransport } from './encoded/encoded-transport.ts'
import type { ServerTools } from './extension-points.ts'
import type { Upgrade } from './http/connection/connect.ts'
import { createListener, type ListenAt, type Listener } from './http/connection/listener.ts'
import { type LocalConnections, localConnections } from './http/connection/local-connections.ts'
import { createPeers } from './http/connection/peers.ts'
import { REQUEST_LIMIT_MS } from './http/connection/request-limit.ts'
import { TimeLimits } from './http/connection/time-limits.ts'
import type { Exchange } from './http/exchange.ts'
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

/** Builds the server; opens nothing before `listen`. */
export const createServer = (config: ServerConfig, deps: ServerDeps): ApiServer => new Server(config, deps)

class Server implements ApiServer {
  readonly tools: ServerTools
  readonly transport: ApiServer['transport']
  readonly #config: ServerConfig
  readonly #serving: HttpServer
  /** Made with the first port or connection. */
  #listener: Listener | undefined
  /** The number of the first port, once it is open. */
  #port: number | undefined
  #local: LocalConnections | undefined
  #turns: Disposable | undefined
  #tlsChanges: Disposable | undefined
  #stopping = false

  constructor(config: ServerConfig, given: ServerDeps) {
    const store = createResourceStore({ ...given, allowPrivileged: given.allowPrivileged ?? false })
    const deps: ServingDeps = { ...given, store }
    const { authorizer, random, log, watchCache } = deps
    const clock = deps.socketClock ?? systemClock
    const address = () => hostPort(config.advertise ?? config.host, this.#port ?? config.port)
    this.#config = config
    this.transport = (user) => inProcess(() => this.#serving, user)
    this.tools = { reader: watchCache.reader, authorizer, clock: deps.clock, random, log, transport: this.transport, store }
    this.#serving = {
      deps,
      tools: this.tools,
      plain: plainPaths(config, { ...deps, stopping: () => this.#stopping }, address),
      impersonation: createImpersonation(authorizer),
      browsers: config.browsers,
      peers: createPeers(config.tls ?? { clientCa: '' }),
      segments: new ZippedSegments(),
      watches: new OpenWatches(),
      limits: new TimeLimits(clock, config.requestTimeoutMs ?? REQUEST_LIMIT_MS),
      clock,
    }
  }

  encodedTransport(user: UserInfo): EncodedTransport {
    return encodedTransport(() => this.#serving, user)
  }

  async listen(): Promise<{ address: string; port: number }> {
    const { host } = this.#config
    const port = await this.#listening().open()
    this.#port = port
    this.#turns = this.#serving.deps.metrics?.watchTurns()
    return { address: `https://${hostPort(host, port)}`, port }
  }

  async listenAlso(at: ListenAt): Promise<void> {
    await this.#listening().openAlso(at)
  }

  connect(): Duplex {
    const { deps, peers } = this.#serving
    this.#local ??= localConnections(this.#serve, { log: deps.log, trust: peers.trust })
    return this.#local.connect()
  }

  connectSecurely(): Duplex | undefined {
    const { host, port, tls } = this.#config
    if (tls === undefined) return undefined
    const [near, far] = createStreamPair({ near: { address: host, port: 0 }, far: { address: host, port: this.#port ?? port } })
    this.#listening().accept(far)
    return near
  }

  stopping(): void {
    this.#stopping = true
  }

  async drain(limitMs: number): Promise<void> {
    this.#stopping = true
    const closing = this.#listener?.drain(limitMs)
    this.#serving.watches.end()
    await closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#turns?.[Symbol.dispose]()
    this.#tlsChanges?.[Symbol.dispose]()
    this.#local?.[Symbol.dispose]()
    await this.#listener?.[Symbol.asyncDispose]()
  }

  readonly #serve = (exchange: Exchange, upgrade?: Upgrade) => serve(this.#serving, exchange, upgrade)

  #listening(): Listener {
    if (this.#listener !== undefined) return this.#listener
    const { host, port, tls, opened, goawayChance = 0, onTlsChange } = this.#config
    if (tls === undefined) throw new Error('this server was made without certificates: it cannot listen')
    const { deps, peers, clock } = this.#serving
    const { log, random, metrics } = deps
    const listener = createListener({ host, port, tls, ...(opened && { opened }) }, this.#serve, {
      log,
      clock,
      handshakeFailed: () => metrics?.handshakeFailed(),
      goaway: goawayChance > 0 ? () => random.next() < goawayChance : undefined,
    })
    this.#tlsChanges = onTlsChange?.((changed) => {
      listener.renew(changed)
      peers.renew(changed)
      log.info('certificates have changed, and are used from now on')
    })
    this.#listener = listener
    return listener
  }
}
