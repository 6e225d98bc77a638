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
import type { Action, Connector, Report, ReportCollection, Review } from './extension-points.ts'
import type { FlowControl } from './flow/flow-control.ts'
import type { BrowserRules } from './http/browser-rules.ts'
import type { TlsConfig } from './http/connection/tls-config.ts'
import type { Authenticator } from './identity/authenticator.ts'
import type { Authorizer } from './identity/authorizer.ts'
import type { Kinds } from './kinds.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import type { PeerServers } from './peer-servers.ts'
import type { HealthCheck, TypedPage } from './request/plain-paths.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { TrailRecorder } from './trail/trail-recorder.ts'
import type { WatchRegistry } from './trail/watch-registry.ts'

/** The configuration of a server; complete and frozen. */
export interface ServerConfig {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** The port, if it is open already. */
  readonly opened?: OpenedPort
  /** Without it the server does not listen; clients use `transport`. */
  readonly tls?: TlsConfig
  /** Calls back with the new content when the files of `tls` have changed. */
  readonly onTlsChange?: (changed: (tls: TlsConfig) => void) => Disposable
  /** Time limit of a request that is not long-running. Default 60,000. */
  readonly requestTimeoutMs?: number
  /** The share of HTTP/2 requests after which the client is asked (GOAWAY) to open another connection, perhaps to another server. */
  readonly goawayChance?: number
  /** Default: browsers get no headers of their own. */
  readonly browsers?: BrowserRules | undefined
  /** The address in discovery documents, if it is not `host`. */
  readonly advertise?: string | undefined
  /** As `/version` shows it: `v1.36.3`. */
  readonly gitVersion: string
}

/** The dependencies of a server. */
export interface ServerDeps {
  readonly watchCache: WatchCache
  readonly definitions: ResourceRegistry
  readonly kinds: Kinds
  readonly clock: Clock
  /**
   * The clock for time limits of requests and idle connections. Default: the real one, since network traffic does not follow a virtual
   * clock.
   */
  readonly socketClock?: Clock
  readonly random: Random
  readonly log: Logger
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** The audit log; without it nothing is recorded. */
  readonly audit?: AuditLog
  /** The facts of recent requests; without it none are kept. */
  readonly trails?: TrailRecorder
  /** The open watches; absent: they cannot be listed. */
  readonly watches?: WatchRegistry
  /** Priority and fairness; without it every request runs at once. */
  readonly flow?: FlowControl
  /** Permits privileged containers (kube-apiserver's `--allow-privileged`). Default false. */
  readonly allowPrivileged?: boolean
  /** How long a watch that names no time lasts: between this and twice this. Default 1,800,000. */
  readonly minWatchMs?: number
  /** Feature gates that are on although they are off by default. */
  readonly gates?: ReadonlySet<string>
  /** Most objects of each collection. Default `OBJECT_LIMITS`. */
  readonly objectLimits?: ObjectLimits
  /** By resource: allocates values that must be unique (node ports). Default: none. */
  readonly allocators?: Allocators | undefined
  /** In the order in which they run. */
  readonly admission: readonly AdmissionPlugin[]
  /** By the names in `ResourceDefinition`: `Subresource.action`, `ReviewHandler.review`, `Subresource.connector`. */
  readonly actions: Readonly<Record<string, Action>>
  readonly reviews: Readonly<Record<string, Review>>
  readonly connectors: Readonly<Record<string, Connector>>
  /** By `ResourceDefinition.report`. */
  readonly reports?: Readonly<Record<string, Report | ReportCollection>>
  /** Servers of some group versions; without it this server serves all that it knows. */
  readonly delegates?: DelegateServers
  /** Servers of the same objects; without it requests for what this one does not know are answered 404. */
  readonly peers?: PeerServers
  /** Further non-resource paths (`/openid/v1/jwks`). */
  readonly pages?: Readonly<Record<string, TypedPage>>
  /** Further health checks. Default: none. */
  readonly healthChecks?: readonly HealthCheck[]
  /** Request metrics; without it `/metrics` is empty. */
  readonly metrics?: ServerMetrics
}

/** The dependencies of a running server: those given, and the store that was built over the cache. */
export interface ServingDeps extends ServerDeps {
  readonly store: ResourceStore
}
