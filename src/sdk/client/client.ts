import type { JsonObject, KubeList, KubeObject } from '../../machinery/object.ts'

/** Which collection: `{ group: 'apps', version: 'v1', resource: 'deployments' }`. */
export interface ResourceRef {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** The object, or the collection when `name` is absent. No namespace on a namespaced collection means all namespaces. */
export interface Target extends ResourceRef {
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

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

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Readonly<T> }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }

/**
 * The typed door to an API server, the same over HTTPS and inside the process.
 * Every method throws `StatusError` for an answer that is a failure, and `TypeError`-free network errors as `StatusError` 503 with the cause.
 * Objects that come back are shared and frozen under test: clone before changing.
 */
export interface Client {
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

/** What a client sends, before it is text: the seam of the two transports (`sdk/client/https.ts`, and the call into a server of the same process). */
export interface ApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'
  readonly target: Target
  /** Query parameters, as in the URL, without encoding. */
  readonly query: Readonly<Record<string, string>>
  /** The object, the patch or the DeleteOptions. */
  readonly body?: JsonObject | readonly JsonObject[] | KubeObject
  readonly patchType?: PatchType
  readonly signal?: AbortSignal
}

export interface Transport {
  /** Resolves with the answer's object; rejects with a `StatusError`. */
  call(call: ApiCall): Promise<KubeObject>
  watch(call: ApiCall): AsyncIterable<readonly WatchEvent[]>
}
