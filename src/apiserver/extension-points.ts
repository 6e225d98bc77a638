import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import type { ChangeLog } from '../base/collections/change-log.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Later } from '../base/steps.ts'
import type { Transport } from '../machinery/api-call.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Reader, ResourceDefinition, ResourceVersion } from '../machinery/resource/definition.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import type { LocalConnection } from '../streaming/accepted.ts'
import type { Authorizer } from './identity/authorizer.ts'
import type { Query } from './request/query.ts'
import type { ResourceStore } from './store/resource-store.ts'

/** What every action, review and connector may use besides its request. */
export interface ServerTools {
  readonly reader: Reader
  readonly authorizer: Authorizer
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** A transport into this server as that user, through the whole pipeline. */
  transport(user: UserInfo): Transport
  /** The objects of all resources; writes with `ownWrite` skip admission. */
  readonly store: ResourceStore
}

/** The input of actions and reviews: a request that stores nothing by itself. */
export interface EffectRequest<Input extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition
  readonly version: ResourceVersion
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  /** The decoded, defaulted body, after mutating admission. */
  readonly input: Input
  readonly user: UserInfo
  readonly dryRun: boolean
  warn(text: string): void
  /** Adds an audit annotation. */
  annotate(key: string, value: string): void
  /** Records that the request has stored this state of the object that it addresses. */
  stored?(object: KubeObject): void
  /** Runs validating admission; an action awaits it after its own validation. A review has none. */
  admit(): Promise<void>
}

/**
 * Declared as methods, so that an action for one type of input is an `Action`: the schema of the subresource or resource decodes no other
 * input, and a connector is registered for one resource.
 */
interface Extensions<T extends KubeObject> {
  act(request: EffectRequest<T>, tools: ServerTools): Promise<KubeObject>
  review(request: EffectRequest<T>, tools: ServerTools): Later<KubeObject>
  connect(request: ConnectRequest, answer: ConnectResponse, tools: ConnectTools<T>): Promise<void>
}

/** Handles a create on an `action` subresource (binding, eviction, token). Resolves with the object or Status of the response. */
export type Action<Input extends KubeObject = KubeObject> = Extensions<Input>['act']

/** Handles a create on a resource that is never stored (reviews). */
export type Review<Input extends KubeObject = KubeObject> = Extensions<Input>['review']

/** The object that a report is about. */
export interface ReportRequest {
  readonly definition: ResourceDefinition
  readonly namespace: string
  readonly name: string
  readonly user: UserInfo
  readonly signal: AbortSignal
}

/** Handles a GET of an object that is never stored but computed. Throws 404 if there is none. */
export type Report = (request: ReportRequest, tools: ServerTools) => Promise<KubeObject>

/** Who reads a collection of reports: what is shown is bound by the reader's rights. */
export interface ReportReader {
  readonly user: UserInfo
  readonly authorizer: Authorizer
}

/** A report, and the revision of the collection at which it came to be. */
export interface ReportedObject {
  readonly object: KubeObject
  readonly since: number
}

/** Objects that are never stored but computed, with get, list and watch. Their revisions are those of `changes`. */
export interface ReportCollection {
  readonly changes: ChangeLog
  /** Watches get an event when an object leaves. Default: false. */
  readonly announcesGone?: boolean
  /** Called before a request reads the collection. Default: its objects are always up to date. */
  refreshed?(): Promise<void>
  /** The keys of all objects, as in the watch cache. */
  keys(): readonly string[]
  /** What selectors read of an object, made faster than the whole; undefined: it is gone. */
  outline?(key: string): KubeObject | undefined
  /** The objects under these keys; those that are gone are left out. */
  objects(keys: readonly string[], reader: ReportReader): Later<ReadonlyMap<string, ReportedObject>>
  /** Called when a watch begins; disposed of when it ends. */
  watched?(): Disposable
}

/** The request that a connector gets: log, exec, attach, portforward, proxy. */
export interface ConnectRequest {
  readonly definition: ResourceDefinition
  readonly namespace: string
  readonly name: string
  /** For proxies, whose names may be `https:name:port`. */
  readonly scheme: string
  readonly port: string
  readonly subresource: string
  /** The path after the subresource (proxies): `''` or `/…`. */
  readonly rest: string
  readonly method: string
  /** Path and query as received. */
  readonly url: string
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly user: UserInfo
  readonly signal: AbortSignal
  /** The request's body, not read yet. */
  readonly body: NodeJS.ReadableStream
  /** Set for an upgrade request (WebSocket, SPDY): the socket below HTTP/1.1, and the bytes that were read from it already. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer }
  /** Instead of a socket: the pipes of a client of the same process. */
  readonly local?: LocalConnection
}

/** What a connector may use. */
export interface ConnectTools<T extends KubeObject = KubeObject> extends ServerTools {
  /** The addressed object; throws 404. */
  object(): T
}

/** The response of a connector. After `start`, written bytes are sent at once. */
export interface ConnectResponse {
  start(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void
  /** False if the client is slow: wait for `drained`. */
  write(chunk: Uint8Array): boolean
  drained(): Promise<void>
  end(): void
}

/** Serves one connection until it ends. A `StatusError` thrown before `start` (or the upgrade) becomes the response. */
export type Connector<T extends KubeObject = KubeObject> = Extensions<T>['connect']
