import type { PatchType, Target, WatchEvent } from '../../machinery/api-call.ts'
import type { JsonObject, KubeList, KubeObject } from '../../machinery/object.ts'
import type { PodConnections } from './pod-connections.ts'

/** The client's words for what the server's door takes; declared where both sides can see them. */
export type { ApiCall, PatchType, ResourceRef, Target, Transport, WatchEvent } from '../../machinery/api-call.ts'

export interface ReadOptions {
  readonly resourceVersion?: string
  readonly signal?: AbortSignal
}

export interface ListOptions {
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  readonly signal?: AbortSignal
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean
  readonly sendInitialEvents?: boolean
  readonly timeoutSeconds?: number
}

export interface WriteOptions {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  readonly signal?: AbortSignal
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/**
 * The typed door to an API server, the same over HTTPS and inside the process.
 * Every method throws `StatusError` for an answer that is a failure, and `TypeError`-free network errors as `StatusError` 503 with the cause.
 * Objects that come back are shared and frozen under test: clone before changing.
 */
export interface Client extends PodConnections {
  get<T extends KubeObject = KubeObject>(target: Target, options?: ReadOptions): Promise<Readonly<T>>
  list<T extends KubeObject = KubeObject>(target: Target, options?: ListOptions): Promise<Readonly<KubeList<T>>>
  /** Events joined as they come; ends when the server ends it or the signal is aborted; throws `StatusError` for an ERROR event (410 Expired). */
  watch<T extends KubeObject = KubeObject>(target: Target, options?: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]>
  create<T extends KubeObject = KubeObject>(target: Target, object: T, options?: WriteOptions): Promise<Readonly<T>>
  update<T extends KubeObject = KubeObject>(target: Target, object: T, options?: WriteOptions): Promise<Readonly<T>>
  patch<T extends KubeObject = KubeObject>(
    target: Target,
    type: PatchType,
    patch: JsonObject | readonly JsonObject[],
    options?: WriteOptions & { readonly force?: boolean },
  ): Promise<Readonly<T>>
  /** The object as it was last seen, or a Status. */
  delete(target: Target, options?: DeleteOptions): Promise<KubeObject>
  deleteCollection(target: Target, options?: DeleteOptions & ListOptions): Promise<KubeObject>
}
