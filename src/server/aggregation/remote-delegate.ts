import type { SecureContext } from 'node:tls'
import type { DelegatedRequest, DelegatedResponse, DelegateServer } from '../../apiserver/delegate-server.ts'
import type { ResolvedService, ServiceReference, ServiceResolver, ServiceTarget } from '../../apiserver/service-target.ts'
import { type Clock, holding } from '../../base/clock.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import { onAbort } from '../../base/on-abort.ts'
import { withoutTrailing } from '../../base/without-trailing.ts'
import type { Transport } from '../../machinery/api-call.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { AggregationOptions } from '../options/aggregation.ts'
import { type Connections, createConnections, type IncomingResponse, type OutgoingRequest, wholeOf } from '../services/connections.ts'
import { type DialTls, dial, secureContextOf } from '../services/dial.ts'
import { goNetworkError, lateError, NetworkError } from '../services/network-error.ts'
import type { ApiServiceSpec } from './api-service.ts'
import { delegateTransport } from './delegate-transport.ts'
import { forward, forwardUpgrade, plainError } from './forward.ts'
import { type IsIdentity, identityHeaders } from './forward-headers.ts'

export interface DelegateDeps {
  readonly resolver: ServiceResolver
  readonly clock: Clock
  /** The clock for time limits on the wire. */
  readonly socketClock: Clock
  /** This server's client certificate as a front proxy; undefined: it has none. */
  readonly proxyClient: AggregationOptions['proxyClient']
  readonly rejectRedirects: boolean
  /** Headers of clients that must not reach delegates. */
  readonly isIdentity: IsIdentity
}

/** A request that this server makes for itself. */
export interface OwnCall {
  readonly path: string
  readonly user: UserInfo
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** The time limit of discovery requests. */
const DISCOVERY_MS = 5_000

interface Pool {
  readonly key: string
  readonly connections: Connections
}

/** The server behind an APIService: its connections, and whether it is available. */
export class RemoteDelegate implements DelegateServer, Disposable {
  readonly spec: ApiServiceSpec & { readonly service: NonNullable<ApiServiceSpec['service']> }
  /** The result of the availability controller. */
  available: boolean
  readonly #deps: DelegateDeps
  readonly #reference: ServiceReference
  #context: SecureContext | undefined
  #pool: Pool | undefined
  #retired: Connections[] = []

  constructor(spec: RemoteDelegate['spec'], available: boolean, deps: DelegateDeps) {
    this.spec = spec
    this.available = available
    this.#deps = deps
    const { namespace, name, port = 443 } = spec.service
    this.#reference = { namespace, name, port }
  }

  /** Resolves its service. */
  where(): ResolvedService {
    return this.#deps.resolver.resolve(this.#reference)
  }

  async forward(request: DelegatedRequest, answer: DelegatedResponse): Promise<void> {
    if (!this.available) return plainError(answer, 503, 'service unavailable')
    const found = this.where()
    if (found.kind === 'missing') return plainError(answer, 503, 'service unavailable')
    const { rejectRedirects, isIdentity } = this.#deps
    const to = { connections: this.#connections(found.target), host: found.host, rejectRedirects, isIdentity }
    const { upgrade } = request
    if (upgrade !== undefined) return forwardUpgrade({ ...request, upgrade }, answer, to)
    if (!isDiscovery(request.path)) return forward(request, answer, to)
    using limit = limitedSignal(this.#deps.socketClock, DISCOVERY_MS, { parent: request.signal, reason: lateError })
    using _ = onAbort(limit.signal, () => {
      if (!limit.expired) return
      if (answer.started) return answer.abort()
      plainError(answer, 503, `error trying to reach service: ${lateError().message}`)
    })
    await forward({ ...request, signal: limit.signal }, answer, to)
  }

  transport(user: UserInfo): Transport {
    return delegateTransport({ user, clock: this.#deps.clock, delegate: this })
  }

  /** Sends a request of this server, or of a client inside the process. Rejects with a `NetworkError`. */
  async send(request: Omit<OutgoingRequest, 'host'>): Promise<IncomingResponse> {
    const found = this.where()
    if (found.kind === 'missing') throw new NetworkError('unreachable', found.message)
    return this.#connections(found.target).send({ ...request, host: found.host })
  }

  /** A GET with a time limit, and its whole response. Rejects with a `NetworkError`, also if the response exceeds `mostBytes`. */
  async get(
    call: OwnCall,
    mostBytes: number,
  ): Promise<{ readonly status: number; readonly rawHeaders: readonly string[]; readonly body: Buffer }> {
    using limit = limitedSignal(this.#deps.socketClock, call.timeoutMs, { reason: lateError })
    const headers = { ...call.headers, ...identityHeaders(call.user) }
    try {
      return await holding(this.#deps.clock, `the server of ${rootText(this.spec)}`, async () => {
        const { status, rawHeaders, body } = await this.send({ method: 'GET', target: call.path, headers, signal: limit.signal })
        return { status, rawHeaders, body: await wholeOf(body, mostBytes) }
      })
    } catch (error) {
      if (limit.expired) throw lateError()
      throw error instanceof NetworkError ? error : new NetworkError('unreachable', goNetworkError(error), error)
    }
  }

  #connections(target: ServiceTarget): Connections {
    const key = target.kind === 'handler' ? 'handler' : `${target.host} ${target.port}`
    if (this.#pool?.key === key) return this.#pool.connections
    if (this.#pool !== undefined) this.#retired.push(this.#pool.connections)
    this.#retired = this.#retired.filter((old) => {
      if (old.active === 0) old[Symbol.dispose]()
      return old.active > 0
    })
    const { socketClock: clock, proxyClient } = this.#deps
    const client = proxyClient && { certificate: proxyClient.cert.current(), key: proxyClient.key.current() }
    const { caBundle, insecureSkipTLSVerify: insecure = false, service } = this.spec
    const tls: DialTls = {
      ...(caBundle !== undefined && caBundle !== '' && { ca: Buffer.from(caBundle, 'base64').toString() }),
      insecure,
      servername: `${service.name}.${service.namespace}.svc`,
      ...(client !== undefined && { client }),
    }
    this.#context ??= secureContextOf(tls)
    const context = this.#context
    const connections = createConnections({ dial: (protocols) => dial({ target, tls, context, protocols, clock }), clock })
    this.#pool = { key, connections }
    return connections
  }

  [Symbol.dispose](): void {
    for (const old of this.#retired) old[Symbol.dispose]()
    this.#pool?.connections[Symbol.dispose]()
    this.#pool = undefined
    this.#retired = []
  }
}

const rootText = ({ group = '', version }: ApiServiceSpec) => `${version}.${group}`

/** `/apis/GROUP/VERSION`. */
const isDiscovery = (path: string): boolean => path.startsWith('/apis/') && withoutTrailing(path, '/').split('/').length === 4
