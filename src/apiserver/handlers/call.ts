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
  readonly request: Request
  readonly deps: CallDeps
  readonly tools: ServerTools
  readonly served: ServedResource
  readonly target: PathTarget
  /** Undefined for the resource itself. */
  readonly subresource: Subresource | undefined
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
