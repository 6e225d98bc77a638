import type { Json } from '../machinery/object.ts'

/** A GET, decoded. */
export interface ApiQuestion {
  /** What follows the root of the group version: `namespaces`, `default`, `pods`. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  /** The client requests the table that `kubectl get` prints. */
  readonly wantsTable: boolean
}

/** A response with 200. All others are thrown as a `StatusError`. */
export interface ApiResponse {
  readonly value: Json
  /** For `Warning` headers. */
  readonly warnings?: readonly string[]
}

/** A group version of this server. */
export interface GroupApi {
  readonly group: string
  readonly version: string
  /** As `APIResourceList.resources` has it. */
  resources(): readonly Json[]
  /** Its OpenAPI v3 document, where it has one. */
  readonly openapi?: Json
  /** Undefined: there is no such path. */
  get(question: ApiQuestion): ApiResponse | undefined
}
