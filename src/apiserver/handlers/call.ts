import type { KubeObject } from '../../machinery/object.ts'
import type { Subresource } from '../../machinery/resource/definition.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { ServedResource } from '../cache/resource-registry.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ServerDeps } from '../deps.ts'
import type { ServerTools } from '../extension-points.ts'
import type { ResourceStore } from '../store/resource-store.ts'
import type { WatchSession } from '../store/watch-session.ts'
import type { Query } from './request/query.ts'
import type { PathTarget } from './request/request-info.ts'

/** What was sent: text from a socket, or an object of the same process. */
export type RequestBody =
  | { readonly kind: 'bytes'; readonly contentType: string | undefined; read(): Promise<Buffer> }
  | { readonly kind: 'object'; readonly value: unknown; readonly patchType?: string }

/** What handlers work with: the store, and the tables of what is no plain storage. */
export interface CallDeps
  extends Pick<
    ServerDeps,
    'definitions' | 'kinds' | 'clock' | 'random' | 'authorizer' | 'admission' | 'actions' | 'reviews' | 'connectors' | 'reports'
  > {
  readonly store: ResourceStore
}

/** One request on a resource that exists, from a user who may make it. */
export interface Call {
  readonly deps: CallDeps
  readonly tools: ServerTools
  readonly served: ServedResource
  readonly target: PathTarget
  /** Undefined for the resource itself. */
  readonly subresource: Subresource | undefined
  readonly verb: string
  readonly user: UserInfo
  readonly userAgent: string
  readonly query: Query
  readonly body: RequestBody
  readonly signal: AbortSignal
  warn(text: string): void
  /** An audit annotation. */
  annotate(key: string, value: string, level?: 'Request'): void
  /** What the audit log keeps of the request; undefined: nothing. */
  readonly audit: RequestNote | undefined
}

/** Who writes down what was sent. */
export interface RequestNote {
  /** Bodies too, not only the names in them. */
  readonly keepsRequest: boolean
  /** Decoded, with defaults, in the version of the request. */
  object(object: KubeObject): void
  /** Options, which have no metadata. */
  options(options: object): void
  /** The text of a patch. */
  patch(text: string): void
}

/** What a handler answers, before it is text. Items are in the storage version; objects are as they are to be shown. */
export type Answer =
  | { readonly kind: 'item'; readonly code: number; readonly item: StoredObject }
  | { readonly kind: 'object'; readonly code: number; readonly object: KubeObject }
  | { readonly kind: 'list'; readonly items: readonly StoredObject[]; readonly metadata: ListMetadata }
  | { readonly kind: 'watch'; readonly session: WatchSession }
  /** Text or bytes as they are: everything that is no resource. */
  | { readonly kind: 'raw'; readonly code: number; readonly headers: Readonly<Record<string, string>>; readonly body: string | Uint8Array }

export interface ListMetadata {
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}
