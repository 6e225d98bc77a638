import type { KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'

/** The audit log's record of one request, as those see it who carry the request out. */
export interface RequestAudit {
  /** As the client reads it in the header `Audit-Id`. */
  readonly id: string
  /** The policy keeps what was sent, not only the names in it. */
  readonly keepsRequest: boolean
  /** The policy keeps what is answered. */
  readonly keepsResponse: boolean
  /** Resolves when the backend has every event so far; undefined: it has them. */
  readonly delivered: Promise<unknown> | undefined
  /** The first value of a key stays. `Request`: only where the policy keeps what was sent. */
  annotate(key: string, value: string, level?: 'Request'): void
  /** The request is carried out as this user; `constraint` is the constrained verb that allowed it, if one did. */
  impersonated(user: UserInfo, constraint: string | undefined): void
  /** An object that was sent: decoded, with defaults, in the version of the request. */
  object(object: KubeObject): void
  /** Options that were sent; they have no metadata. */
  options(options: object): void
  /** The text of a patch. */
  patch(text: string): void
  /** What is answered: an object, a list, a table, or a Status. */
  response(object: object): void
  /** The same as JSON text. */
  responseText(json: string): void
  /** The answer begins. */
  started(code: number): void
  /** The answer has been given; code 0: the client left before. Only the first call counts. */
  complete(code: number): void
}
