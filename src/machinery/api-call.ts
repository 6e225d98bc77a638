import type { JsonObject, KubeObject } from './object.ts'
import type { ByteSource, RemotePorts, RemoteProcess } from './streams.ts'

/** Carries the type of a collection's objects for the compiler. The property does not exist at run time. */
declare const objectType: unique symbol

/** A collection: `{ group: 'apps', version: 'v1', resource: 'deployments' }`; `T` is the type of its objects. */
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

/** A target of objects of type `T`; it may lack the type, and then the caller chooses `T`. */
export type TargetOf<T extends KubeObject> = Target<T> | Target

/** The patch types: RFC 6902, RFC 7386, Kubernetes' strategic merge (built-in kinds only), and server-side apply. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

/** An event of a watch: a changed object, or a BOOKMARK with the resourceVersion that the watch has reached. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Readonly<T> }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }

/** A request of a client before it is encoded: the interface of both transports (HTTPS, and calls within the process). */
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

/** Sends calls to an API server. */
export interface Transport {
  /** Resolves with the object of the response; rejects with a `StatusError`. */
  call(call: ApiCall): Promise<KubeObject>
  watch(call: ApiCall): AsyncIterable<readonly WatchEvent[]>
  readonly connect: Connections
  /** GET of a non-resource path. */
  page(call: PageCall): Promise<PageResponse>
}

/** A transport whose responses are JSON in the bytes that the server keeps, for clients in other threads, which decode them there. */
export interface EncodedTransport extends Pick<Transport, 'connect' | 'page'> {
  /** A call of any verb but `list` and `watch`; resolves with the object. */
  call(call: ApiCall): Promise<string | Uint8Array>
  /** Yields a line with the list without its items, then a line for each item; a chunk may contain several lines. */
  list(call: ApiCall): AsyncIterable<string | Uint8Array>
  /** Yields a line for each event, as the body of a watch over HTTP. Throws on an error event. */
  watch(call: ApiCall): AsyncIterable<string | Uint8Array>
}

/** A GET of a non-resource path: discovery, version, OpenAPI. */
export interface PageCall {
  /** `/apis` */
  readonly path: string
  /** Default: `application/json`. */
  readonly accept?: string
  /** The ETag of a cached response: an unchanged page is not sent again. */
  readonly etag?: string
  readonly signal?: AbortSignal
}

/** The response; `value` is undefined if it is unchanged since `etag`. */
export interface PageResponse {
  readonly value: JsonObject | undefined
  readonly etag: string | undefined
}

/** Streams into containers. Each rejects with a `StatusError` if the server refuses; aborting the signal closes the connection. */
export interface Connections {
  /** `pods/NAME/exec` and `attach`. */
  command(call: ConnectCall): Promise<RemoteProcess>
  /** `pods/NAME/portforward`. */
  ports(call: ConnectCall): Promise<RemotePorts>
  /** A GET whose response is an unbounded stream of bytes: `pods/NAME/log`. */
  bytes(call: ConnectCall): Promise<ByteSource>
}

/** The request for a stream. */
export interface ConnectCall {
  /** The object and its subresource. */
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
