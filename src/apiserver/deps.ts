import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { OpenedPort } from '../base/opened-port.ts'
import type { Random } from '../base/random.ts'
import type { Allocators } from '../machinery/resource/definition.ts'
import type { ObjectLimits } from '../machinery/resource/object-limits.ts'
import type { AdmissionPlugin } from './admission/plugin.ts'
import type { AuditLog } from './audit/audit-log.ts'
import type { ResourceRegistry } from './cache/resource-registry.ts'
import type { WatchCache } from './cache/watch-cache.ts'
import type { DelegateServers } from './delegate-server.ts'
import type { Action, Connector, Report, Review } from './extension-points.ts'
import type { FlowControl } from './flow/flow-control.ts'
import type { TlsConfig } from './http/connection/tls-config.ts'
import type { Authenticator } from './identity/authenticator.ts'
import type { Authorizer } from './identity/authorizer.ts'
import type { Kinds } from './kinds.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import type { PlainAnswer, PlainRequest } from './request/plain-paths.ts'
import type { ResourceStore } from './store/resource-store.ts'

/** What a server is told; complete and frozen. */
export interface ServerConfig {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** The port, where it is open already. */
  readonly opened?: OpenedPort
  /** Without it the server does not listen and is reached by `transport` alone. */
  readonly tls?: TlsConfig
  /** Calls back with what the files of `tls` hold when they have changed. */
  readonly onTlsChange?: (changed: (tls: TlsConfig) => void) => Disposable
  /** How long a request that is no stream may take. Default 60,000. */
  readonly requestTimeoutMs?: number
  /** The address that discovery tells clients, where it is not `host`. */
  readonly advertise?: string | undefined
  /** As `/version` tells it: `v1.36.3`. */
  readonly gitVersion: string
}

/** What a server is given. */
export interface ServerDeps {
  readonly watchCache: WatchCache
  readonly definitions: ResourceRegistry
  readonly kinds: Kinds
  readonly clock: Clock
  /**
   * Time on the wire: how long requests and idle connections may last. Default: the machine's, since bytes do not wait for a virtual one.
   */
  readonly socketClock?: Clock
  readonly random: Random
  readonly log: Logger
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Writes down who did what; without it nothing is. */
  readonly audit?: AuditLog
  /** Who may run now, and who waits; without it everybody runs. */
  readonly flow?: FlowControl
  /** Containers may be privileged (kube-apiserver's `--allow-privileged`). Default false. */
  readonly allowPrivileged?: boolean
  /** The most objects that are kept of each collection. Default `OBJECT_LIMITS`. */
  readonly objectLimits?: ObjectLimits
  /** By resource: who chooses and takes what no two objects may have (node ports). Default: nobody. */
  readonly allocators?: Allocators | undefined
  /** In the order in which they run. */
  readonly admission: readonly AdmissionPlugin[]
  /** By the names that `ResourceDefinition` uses: `Subresource.action`, `ReviewHandler.review`, `Subresource.connector`. */
  readonly actions: Readonly<Record<string, Action>>
  readonly reviews: Readonly<Record<string, Review>>
  readonly connectors: Readonly<Record<string, Connector>>
  /** By `ResourceDefinition.report`. */
  readonly reports?: Readonly<Record<string, Report>>
  /** Servers that answer for some group versions; without it this server answers for all that it knows. */
  readonly delegates?: DelegateServers
  /** Further paths that are no resources (`/openid/v1/jwks`). */
  readonly pages?: Readonly<Record<string, (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer>>>
  /** Counts requests; without it `/metrics` is empty. */
  readonly metrics?: ServerMetrics
}

/** What a running server works with: what it was given, and the store that it made over the cache. */
export interface ServingDeps extends ServerDeps {
  readonly store: ResourceStore
}
