import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
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
  /** Calls into this server through the whole pipeline as that user. */
  transport(user: UserInfo): Transport
  /** The objects of all resources, written without admission (`ownWrite`) where an action says so. */
  readonly store: ResourceStore
}

/** A request on a resource that is no plain storage: what actions and reviews get. */
export interface EffectRequest<Input extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition
  readonly version: ResourceVersion
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  /** The decoded, defaulted body; mutating admission was here already. */
  readonly input: Input
  readonly user: UserInfo
  readonly dryRun: boolean
  warn(text: string): void
  /** An audit annotation. */
  annotate(key: string, value: string): void
  /** Validating admission, to be awaited by the action when its own validation is done. A review has none. */
  admit(): Promise<void>
}

/**
 * As methods, so that an action for one type of input is an `Action`: the schema of the subresource, or of the resource, decodes no
 * other input, and a connector is registered for one resource.
 */
interface Extensions<T extends KubeObject> {
  act(request: EffectRequest<T>, tools: ServerTools): Promise<KubeObject>
  review(request: EffectRequest<T>, tools: ServerTools): Promise<KubeObject> | KubeObject
  connect(request: ConnectRequest, answer: ConnectAnswer, tools: ConnectTools<T>): Promise<void>
}

/** Answers a create on an `action` subresource (binding, eviction, token): resolves with the object or Status to answer. */
export type Action<Input extends KubeObject = KubeObject> = Extensions<Input>['act']

/** Answers a create on a resource that is never stored (reviews). */
export type Review<Input extends KubeObject = KubeObject> = Extensions<Input>['review']

/** What a report is about. */
export interface ReportRequest {
  readonly definition: ResourceDefinition
  readonly namespace: string
  readonly name: string
  readonly user: UserInfo
  readonly signal: AbortSignal
}

/** Answers a GET of what is never stored, and made when somebody asks. Throws 404 where there is nothing to tell of. */
export type Report = (request: ReportRequest, tools: ServerTools) => Promise<KubeObject>

/** A request handed to a connector as it came: log, exec, attach, portforward, proxy. */
export interface ConnectRequest {
  readonly definition: ResourceDefinition
  readonly namespace: string
  readonly name: string
  /** Of proxies, whose names may be `https:name:port`. */
  readonly scheme: string
  readonly port: string
  readonly subresource: string
  /** What follows the subresource in the path (proxies): `''` or `/…`. */
  readonly rest: string
  readonly method: string
  /** Path and query as they came. */
  readonly url: string
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly user: UserInfo
  readonly signal: AbortSignal
  /** The request's body, not read yet. */
  readonly body: NodeJS.ReadableStream
  /** Set when the client asks to upgrade (WebSocket, SPDY): the socket below HTTP/1.1, and what it had sent already. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer }
  /** In its place, what a client of the same process brings along. */
  readonly local?: LocalConnection
}

/** What a connector may use. */
export interface ConnectTools<T extends KubeObject = KubeObject> extends ServerTools {
  /** The addressed object; throws 404. */
  object(): T
  /** Validating admission of the connection. */
  admit(): Promise<void>
}

/** Where a connector answers. After `start`, what is written reaches the client at once. */
export interface ConnectAnswer {
  start(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void
  /** False when the client is slow: wait for `drained`. */
  write(chunk: Uint8Array): boolean
  drained(): Promise<void>
  end(): void
}

/** Serves one connection until it ends; a `StatusError` thrown before `start` (or the upgrade) becomes the answer. */
export type Connector<T extends KubeObject = KubeObject> = Extensions<T>['connect']
