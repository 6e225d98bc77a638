import type { Duplex, Readable } from 'node:stream'
import type { Transport } from '../machinery/api-call.ts'
import type { JsonObject } from '../machinery/object.ts'
import type { UserInfo } from '../machinery/resource/user.ts'

/** An authenticated and authorized request that is forwarded to the server of its path. */
export interface DelegatedRequest {
  readonly method: string
  /** Decoded. */
  readonly path: string
  /** The query string, without `?`. */
  readonly search: string
  /** By lower-case name, every value as received. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly user: UserInfo
  readonly remoteAddress: string
  readonly auditId: string
  /** Undefined if the request has none. */
  readonly body: Readable | undefined
  /** Aborted when the client has gone or the request has timed out. */
  readonly signal: AbortSignal
  /** Set for an upgrade request: the client's socket, and the bytes that were read from it already. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer }
}

/** Receives the response of a delegate. */
export interface DelegatedResponse {
  /** Headers were sent. */
  readonly started: boolean
  readonly gone: boolean
  start(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void
  /** Sends a whole response. */
  answer(status: number, headers: Readonly<Record<string, string | readonly string[]>>, body: string | Uint8Array): void
  /** The connection was upgraded to another protocol. */
  switched(): void
  /** False: wait for `drained`. */
  write(chunk: Uint8Array): boolean
  drained(): Promise<void>
  end(): void
  /** Aborts the response: the client sees that it is incomplete. */
  abort(): void
}

/** A server of some paths of this one: the delegation target of k8s.io/apiserver (an aggregated API server). */
export interface DelegateServer {
  /** Forwards a request and its response. Never rejects: an error becomes a response, or aborts one. */
  forward(request: DelegatedRequest, answer: DelegatedResponse): Promise<void>
  /** A transport for clients of this process. */
  transport(user: UserInfo): Transport
}

/** A group as discovery shows it. */
export interface ListedGroup {
  readonly name: string
  /** The preferred version first. */
  readonly versions: readonly string[]
}

/** Discovery of a group version that a delegate serves (`APIVersionDiscovery`). */
export interface DelegateDiscovery {
  readonly resources?: readonly JsonObject[]
  readonly freshness: 'Current' | 'Stale'
}

/** The group versions that delegates serve, and what discovery and OpenAPI show of all groups. */
export interface DelegateServers {
  /** The delegate of a path; undefined if this server serves it. */
  of(path: string): DelegateServer | undefined
  /** Counts changes of the discovery and OpenAPI data below. */
  readonly generation: number
  /** All groups in order, including those of this server. */
  groups(): readonly ListedGroup[]
  /** Discovery of a group version that a delegate serves; undefined if this server serves it. */
  discovery(group: string, version: string): DelegateDiscovery | undefined
  /**
   * Where the delegates' OpenAPI documents are: path → `serverRelativeURL`. A delegate takes precedence over this server at the same path.
   */
  openapiV3(): ReadonlyMap<string, string>
  /** The delegates' OpenAPI v2 documents, in order of their priority. */
  openapiV2(): readonly JsonObject[]
}
