import type { PageResponse, PatchType, Target, TargetOf, WatchEvent } from '../../machinery/api-call.ts'
import type { KubeList, KubeObject } from '../../machinery/object.ts'
import type { PodConnections } from './pod-connections.ts'

/** The types of calls and transports, which server and client share. */
export type { ApiCall, PatchType, ResourceRef, Target, TargetOf, Transport, WatchEvent } from '../../machinery/api-call.ts'

/** How one object is read. */
export interface ReadOptions {
  /** `'0'`: any cached state, however old. Another: not older than that. Default: the most recent state. */
  readonly resourceVersion?: string
  /** Gives the call up: it rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** Which objects of a collection are read, and how old they may be. */
export interface ListOptions {
  /** By labels, in kubectl's notation: `app=web,tier in (a,b),!old`. Default: all. */
  readonly labelSelector?: string
  /** By fields, as far as the kind has them: `metadata.name=x`, `spec.nodeName=node-1`. Default: all. */
  readonly fieldSelector?: string
  /** At most so many; the list's `metadata.continue` leads to the next ones. Default: all. */
  readonly limit?: number
  /** The `metadata.continue` of the page before. Fails with 410 Expired when that is too old. */
  readonly continue?: string
  /** See `ReadOptions`, and `resourceVersionMatch`. */
  readonly resourceVersion?: string
  /** What `resourceVersion` means: that very state, or that or a younger one. */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  /** Gives the call up: it rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** From where and for how long a collection is watched. An aborted signal ends the watch without an error. */
export interface WatchOptions extends ListOptions {
  /** Also send events of type BOOKMARK, which have only the current `resourceVersion`. Default false. */
  readonly allowWatchBookmarks?: boolean
  /** Begin with an ADDED event for each object that exists. Default: without `resourceVersion` true, else false. */
  readonly sendInitialEvents?: boolean
  /** The server ends the watch after this long, in seconds. Default: after half an hour to an hour. */
  readonly timeoutSeconds?: number
}

/** How an object is written. */
export interface WriteOptions {
  /** Do all but store it. Default false. */
  readonly dryRun?: boolean
  /** The manager that will own the fields; required for `apply`. Default: from the user agent. */
  readonly fieldManager?: string
  /** How unknown and duplicate fields are handled. Default `Warn`: they are dropped. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Gives the call up: it rejects with the signal's reason, and may or may not have been done. */
  readonly signal?: AbortSignal
}

/** How, and on what condition, an object is deleted. */
export interface DeleteOptions {
  /** Grace period in seconds; 0 deletes at once. Default: the kind's (pods: 30, or the value of their spec). */
  readonly gracePeriodSeconds?: number
  /**
   * What becomes of the objects that it owns: deleted after it, deleted before it, or left. Default: the kind's, nearly always
   * `Background`.
   */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  /** Fails with 409 Conflict unless the object is this one, in this state. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  /** Do all but delete it. Default false. */
  readonly dryRun?: boolean
  /** Gives the call up: it rejects with the signal's reason, and may or may not have been done. */
  readonly signal?: AbortSignal
}

/** How a page is read. */
export interface PageOptions {
  /** The requested media type. Default: `application/json`. */
  readonly accept?: string
  /** The etag of the last response: an unchanged value is not sent again. */
  readonly etag?: string
  /** Gives up when aborted. */
  readonly signal?: AbortSignal
}

/**
 * A transport to an API server, the same over HTTPS and inside the process.
 *
 * Every method throws `StatusError`: with the server's Status for a response that is a failure; with code 503, no reason and the cause if
 * the server could not be reached; with 504 if no response came in time. A call whose signal is aborted rejects with the signal's reason
 * (`AbortError` by default). Returned objects are shared and frozen under test: clone one (`cloneJson`) before you change it. Integers
 * beyond 2^53 are `bigint`.
 *
 * ```ts
 * const target = { ...refs.CONFIG_MAPS, namespace: 'default' }
 * await client.create(target, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'colors' }, data: { a: 'red' } })
 * await client.patch({ ...target, name: 'colors' }, 'merge', { data: { a: 'blue' } })
 * const { items } = await client.list(target, { labelSelector: 'app=web' })
 * ```
 */
export interface Client extends PodConnections {
  /** A GET of a path that is not a resource: `/apis`, `/version`. If `etag` is still current, the response has no value. */
  page(path: string, options?: PageOptions): Promise<PageResponse>
  /** Reads one object, or one of its subresources. */
  get<T extends KubeObject = KubeObject>(target: TargetOf<T>, options?: ReadOptions): Promise<Readonly<T>>
  /** Reads a collection, or a page of it. */
  list<T extends KubeObject = KubeObject>(target: TargetOf<T>, options?: ListOptions): Promise<Readonly<KubeList<T>>>
  /**
   * Events in batches. Ends when the server ends the watch or the signal is aborted; throws `StatusError` for an ERROR event (410 Expired:
   * list again) and when the connection breaks. Most programs should use an informer instead.
   */
  watch<T extends KubeObject = KubeObject>(target: TargetOf<T>, options?: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]>
  /** Creates an object in a collection (a target without `name`, or with a subresource: a binding, an eviction, a token request). */
  create<T extends KubeObject = KubeObject>(target: TargetOf<T>, object: T, options?: WriteOptions): Promise<Readonly<T>>
  /** Replaces an object. With `metadata.resourceVersion` it fails with 409 Conflict if the object has changed since. */
  update<T extends KubeObject = KubeObject>(target: TargetOf<T>, object: T, options?: WriteOptions): Promise<Readonly<T>>
  /**
   * Changes an object by a patch in plain JSON: an object, or a list of steps for `json`. `apply` creates it where it is missing, and needs
   * `fieldManager`; with `force` it takes fields that others own, else it fails with 409 Conflict.
   */
  patch<T extends KubeObject = KubeObject>(
    target: TargetOf<T>,
    type: PatchType,
    patch: object,
    options?: WriteOptions & { readonly force?: boolean },
  ): Promise<Readonly<T>>
  /**
   * Deletes one object: resolves with it as it was last seen, or with a Status. An object that has finalizers or a grace period goes later.
   */
  delete(target: Target, options?: DeleteOptions): Promise<KubeObject>
  /** Deletes all objects of a collection, or those that are selected. */
  deleteCollection(target: Target, options?: DeleteOptions & ListOptions): Promise<KubeObject>
}
