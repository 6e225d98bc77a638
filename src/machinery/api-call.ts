import type { JsonObject, KubeObject } from './object.ts'
import type { ByteSource, RemotePorts, RemoteProcess } from './streams.ts'

/** Holds the type of a collection's objects for the compiler. There is no such property at run time. */
declare const objectType: unique symbol

/** A collection: `{ group: 'apps', version: 'v1', resource: 'deployments' }`, and for the compiler the type of its objects. */
export interface ResourceRef<T extends KubeObject = KubeObject> {
  readonly [objectType]?: T
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** The object, or the collection when `name` is absent. No namespace on a namespaced collection means all namespaces. */
export interface Target<T extends KubeObject = KubeObject> extends ResourceRef<T> {
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

/** Where objects of type `T` are: a target that carries their type, or one without a type, of which the caller says what it holds. */
export type TargetOf<T extends KubeObject> = Target<T> | Target

/** How a patch is written: RFC 6902, RFC 7386, Kubernetes' strategic merge (built-in kinds only), or server-side apply. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

/** An event of a watch: a change of an object; or a BOOKMARK: the resourceVersion that the watch has reached. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Readonly<T> }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }

/** What a client sends, before it is text: the seam of the two transports (over HTTPS, and straight into a server of the same process). */
export interface ApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'
  readonly target: Target
  /** Query parameters, as in the URL, without encoding. */
  readonly query: Readonly<Record<string, string>>
  /** The object, the patch or the DeleteOptions, as plain JSON. */
  readonly body?: object
  readonly patchType?: PatchType
  readonly signal?: AbortSignal
}

/** Carries calls to an API server. */
export interface Transport {
  /** Resolves with the answer's object; rejects with a `StatusError`. */
  call(call: ApiCall): Promise<KubeObject>
  watch(call: ApiCall): AsyncIterable<readonly WatchEvent[]>
  readonly connect: Connections
  /** A GET of a path that is no resource. */
  page(call: PageCall): Promise<PageAnswer>
}

/**
 * The same with answers as JSON, in the bytes that the server keeps: for clients in other threads, which decode them there.
 */
export interface EncodedTransport extends Pick<Transport, 'connect' | 'page'> {
  /** Calls of every verb but `list` and `watch`: the object. */
  call(call: ApiCall): Promise<string | Uint8Array>
  /** First a line with the list without its items, then a line for each item; several lines may come together. */
  list(call: ApiCall): AsyncIterable<string | Uint8Array>
  /** A line for each event, as the body of a watch over HTTP. An error is thrown, and is no line. */
  watch(call: ApiCall): AsyncIterable<string | Uint8Array>
}

/** A path that is no resource: discovery, version, OpenAPI. */
export interface PageCall {
  /** `/apis` */
  readonly path: string
  /** Default: `application/json`. */
  readonly accept?: string
  /** What is known already: an unchanged page is not sent again. */
  readonly etag?: string
  readonly signal?: AbortSignal
}

/** The response; `value` is undefined when it is unchanged since `etag`. */
export interface PageAnswer {
  readonly value: JsonObject | undefined
  readonly etag: string | undefined
}

/**
 * What reaches into a container. Each rejects with a `StatusError` when the server refuses; aborting the signal breaks the connection off.
 */
export interface Connections {
  /** `pods/NAME/exec` and `attach`. */
  command(call: ConnectCall): Promise<RemoteProcess>
  /** `pods/NAME/portforward`. */
  ports(call: ConnectCall): Promise<RemotePorts>
  /** A GET whose answer is bytes that may go on for ever: `pods/NAME/log`. */
  bytes(call: ConnectCall): Promise<ByteSource>
}

/** A connection that a client asks for. */
export interface ConnectCall {
  /** With its subresource. */
  readonly target: Target
  /** Query parameters, in order; a name may come more than once (`command`). */
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly signal?: AbortSignal
}

/** The HTTP method of each verb. */
export const METHOD: Readonly<Record<ApiCall['verb'], string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}
