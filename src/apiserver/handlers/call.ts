import type { KubeObject } from '../../machinery/object.ts'
import type { Subresource } from '../../machinery/resource/definition.ts'
import type { ServedResource } from '../cache/resource-registry.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ServerDeps } from '../deps.ts'
import type { ServerTools } from '../extension-points.ts'
import type { Request } from '../request/request.ts'
import type { PathTarget } from '../request/request-info.ts'
import type { ResourceStore } from '../store/resource-store.ts'
import type { WatchSession } from '../store/watch-session.ts'

/** Dependencies of handlers: the store, and the tables of actions, reviews and connectors. */
export interface CallDeps
  extends Pick<
    ServerDeps,
    | 'definitions'
    | 'kinds'
    | 'clock'
    | 'random'
    | 'authorizer'
    | 'gates'
    | 'minWatchMs'
    | 'admission'
    | 'actions'
    | 'reviews'
    | 'connectors'
    | 'reports'
    | 'watches'
    | 'metrics'
  > {
  readonly store: ResourceStore
}

/** One authorized request on a resource that exists. */
export interface Call {
  readonly request: Request
  readonly deps: CallDeps
  readonly tools: ServerTools
  readonly served: ServedResource
  readonly target: PathTarget
  /** Undefined for the resource itself. */
  readonly subresource: Subresource | undefined
}

/** The result of a handler before it is encoded. Items are in the storage version; objects are in the version of the response. */
export type HandlerResult =
  | { readonly kind: 'item'; readonly code: number; readonly item: StoredObject }
  | { readonly kind: 'object'; readonly code: number; readonly object: KubeObject }
  | { readonly kind: 'list'; readonly items: readonly StoredObject[]; readonly metadata: ListMetadata }
  | { readonly kind: 'watch'; readonly session: WatchSession }
  /** Text or bytes that are sent unchanged: non-resource paths. */
  | { readonly kind: 'raw'; readonly code: number; readonly headers: Readonly<Record<string, string>>; readonly body: string | Uint8Array }

export interface ListMetadata {
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}
