import type { KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'

/** The audit record of one request, as steps and handlers use it. */
export interface RequestAudit {
  /** The value of the header `Audit-Id`. */
  readonly id: string
  /** True if the policy keeps request bodies, not only metadata. */
  readonly keepsRequest: boolean
  /** True if the policy keeps response bodies. */
  readonly keepsResponse: boolean
  /** Resolves when the backend has every event so far; undefined if it has them. */
  readonly delivered: Promise<unknown> | undefined
  /** Adds an annotation, unless the key is set. `Request`: only if the policy keeps request bodies. */
  annotate(key: string, value: string, level?: 'Request'): void
  /** The impersonated user; `constraint` is the constrained verb that allowed it, if any. */
  impersonated(user: UserInfo, constraint: string | undefined): void
  /** The object in the request: decoded, with defaults, in the version of the request. */
  object(object: KubeObject): void
  /** The options in the request; they have no metadata. */
  options(options: object): void
  /** The text of a patch. */
  patch(text: string): void
  /** The response: an object, a list, a table, or a Status. */
  response(object: object): void
  /** The response as JSON text. */
  responseText(json: string): void
  /** The response begins. */
  started(code: number): void
  /** The response is complete; code 0: the client left before. Only the first call counts. */
  complete(code: number): void
}
