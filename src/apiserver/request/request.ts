import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Attributes } from '../identity/authorizer.ts'
import { attributesOf } from './attributes-of.ts'
import { isLongRunning } from './long-running.ts'
import type { Query } from './query.ts'
import type { RequestAudit } from './request-audit.ts'
import type { RequestBody } from './request-body.ts'
import type { RequestContext } from './request-context.ts'
import type { RequestCounter } from './request-counter.ts'
import type { RequestInfo } from './request-info.ts'

/**
 * One request, from its arrival to the end of its answer: made once, by its entrance, and passed by reference to every step, handler and stage.
 * A class with accessors on its prototype, so that a request costs its facts and no closures.
 */
export abstract class Request implements RequestContext {
  readonly info: RequestInfo
  readonly query: Query
  /** True for watches, logs, proxies and the like: they have no time limit and take no seat. */
  readonly long: boolean
  /** Who sent it; undefined until authenticated. */
  sender: UserInfo | undefined
  /** Where it is counted; undefined until it is known what it asks for, or when nothing is counted. */
  counts: RequestCounter | undefined
  #audit: RequestAudit | undefined
  #user: UserInfo | undefined
  #attributes: Attributes | undefined

  constructor(info: RequestInfo, query: Query) {
    this.info = info
    this.query = query
    this.long = isLongRunning(info)
  }

  abstract readonly userAgent: string
  abstract readonly body: RequestBody
  /** Path and query as text. */
  abstract readonly url: string
  /** Where it comes from, the first proxy's client first. */
  abstract readonly sourceIPs: readonly string[]
  /** The id under which the sender wants to find it in the audit log. */
  abstract readonly auditId: string | undefined
  abstract readonly signal: AbortSignal
  abstract warn(text: string): void

  /** The user as whom it is carried out: its sender, or whom the sender impersonates. */
  get user(): UserInfo {
    if (this.#user === undefined) throw new Error('invariant: a request is authenticated before its user is read')
    return this.#user
  }

  authenticated(sender: UserInfo): void {
    this.sender = sender
    this.#user = sender
  }

  impersonates(user: UserInfo): void {
    this.#user = user
    this.#attributes = undefined
  }

  /** What authorizers and flow schemas look at. */
  get attributes(): Attributes {
    this.#attributes ??= attributesOf(this.user, this.info, this.query)
    return this.#attributes
  }

  /** Its record in the audit log; undefined while there is none, or when the policy keeps nothing of it. */
  get audit(): RequestAudit | undefined {
    return this.#audit
  }

  recordedBy(audit: RequestAudit | undefined): void {
    this.#audit = audit
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    this.#audit?.annotate(key, value, level)
  }
}
