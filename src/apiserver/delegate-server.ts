import type { Duplex, Readable } from 'node:stream'
import type { Transport } from '../machinery/api-call.ts'
import type { JsonObject } from '../machinery/object.ts'
import type { UserInfo } from '../machinery/resource/user.ts'

/** An authenticated and authorized request on its way to the server that answers for its path. */
export interface DelegatedRequest {
  readonly method: string
  /** Decoded. */
  readonly path: string
  /** What stands behind the `?`. */
  readonly search: string
  /** As they came, by lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly user: UserInfo
  readonly remoteAddress: string
  readonly auditId: string
  /** Undefined: it has none. */
  readonly body: Readable | undefined
  /** Aborted when the client has gone, or its time is up. */
  readonly signal: AbortSignal
  /** Set when the client asks for another protocol: its socket, and what it had sent already. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer }
}

/** Where the answer of a delegate goes. */
export interface DelegatedAnswer {
  /** Headers were sent. */
  readonly started: boolean
  readonly gone: boolean
  start(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void
  /** The whole answer. */
  answer(status: number, headers: Readonly<Record<string, string | readonly string[]>>, body: string | Uint8Array): void
  /** The connection speaks another protocol from now on. */
  switched(): void
  /** False: wait for `drained`. */
  write(chunk: Uint8Array): boolean
  drained(): Promise<void>
  end(): void
  /** Breaks off: the client sees that the answer is not whole. */
  abort(): void
}

/** A server that answers for some paths of this one: the delegation target of k8s.io/apiserver (an aggregated API server). */
export interface DelegateServer {
  /** Hands a request on, and its answer back. Never rejects: what goes wrong is answered, or breaks the answer off. */
  forward(request: DelegatedRequest, answer: DelegatedAnswer): Promise<void>
  /** The same for clients of this process. */
  transport(user: UserInfo): Transport
}

/** A group as discovery shows it. */
export interface ListedGroup {
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly string[]
}

/** What discovery shows of a group version that a delegate serves (`APIVersionDiscovery`). */
export interface DelegateDiscovery {
  readonly resources?: readonly JsonObject[]
  readonly freshness: 'Current' | 'Stale'
}

/** The group versions that delegates serve, and what discovery and OpenAPI show of all of them. */
export interface DelegateServers {
  /** The delegate of a path; undefined: this server answers itself. */
  of(path: string): DelegateServer | undefined
  /** Counts changes of what follows. */
  readonly generation: number
  /** All groups in order, those of this server included. */
  groups(): readonly ListedGroup[]
  /** Discovery of a group version that a delegate serves; undefined where this server answers itself. */
  discovery(group: string, version: string): DelegateDiscovery | undefined
  /** Where the delegates' OpenAPI documents are: path → `serverRelativeURL`. A delegate wins over this server at the same path. */
  openapiV3(): ReadonlyMap<string, string>
  /** The delegates' OpenAPI v2 documents, in order of their priority. */
  openapiV2(): readonly JsonObject[]
}
