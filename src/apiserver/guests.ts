import type { Duplex, Readable } from 'node:stream'
import type { Transport } from '../machinery/api-call.ts'
import type { JsonObject } from '../machinery/object.ts'
import type { UserInfo } from '../machinery/resource/user.ts'

/** A request whose sender is known and allowed, on its way to the server that answers for its path. */
export interface GuestRequest {
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

/** Where a guest's answer goes. */
export interface GuestAnswer {
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

/** A server that answers for some paths of this one. */
export interface Guest {
  /** Hands a request on, and its answer back. Never rejects: what goes wrong is answered, or breaks the answer off. */
  forward(request: GuestRequest, answer: GuestAnswer): Promise<void>
  /** The same for clients of this process. */
  transport(user: UserInfo): Transport
}

/** A group as discovery shows it. */
export interface ListedGroup {
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly string[]
}

/** What a guest's group version says of itself in discovery (`APIVersionDiscovery`). */
export interface GuestDiscovery {
  readonly resources?: readonly JsonObject[]
  readonly freshness: 'Current' | 'Stale'
}

/** The group versions that others answer for, and what discovery and OpenAPI show of all that there are. */
export interface Guests {
  /** Who answers for a path; undefined: this server itself. */
  of(path: string): Guest | undefined
  /** Counts changes of what follows. */
  readonly generation: number
  /** All groups in order, whoever serves them. */
  groups(): readonly ListedGroup[]
  /** What a guest says of one of its group versions; undefined where this server answers itself. */
  discovery(group: string, version: string): GuestDiscovery | undefined
  /** Where the guests' OpenAPI documents are: path → `serverRelativeURL`. A path that this server has too is the guest's. */
  openapiV3(): ReadonlyMap<string, string>
  /** The guests' OpenAPI v2 documents, in order of their priority. */
  openapiV2(): readonly JsonObject[]
}
