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
import type { Trail } from './trail.ts'

/**
 * One request, from its arrival to the end of its response. Its entrance makes it once, and every step, handler and stage gets it by
 * reference.
 * A class with accessors on its prototype, so that a request needs no closures.
 */
export abstract class Request implements RequestContext {
  readonly info: RequestInfo
  readonly query: Query
  /** True for watches, logs, proxies and the like: they have no time limit and take no seat. */
  readonly long: boolean
  /** The authenticated sender; undefined until then. */
  sender: UserInfo | undefined
  /** The counts of its route; undefined until the route is known, or if there are no metrics. */
  counts: RequestCounter | undefined
  /** Where its facts are recorded; undefined if they are not recorded. */
  trail: Trail | undefined
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
  /** The source addresses, the first proxy's client first. */
  abstract readonly sourceIPs: readonly string[]
  /** Its audit id, if the sender or the entrance has chosen one. */
  abstract readonly auditId: string | undefined
  abstract readonly signal: AbortSignal
  abstract warn(text: string): void

  /** The user on whose behalf it runs: its sender, or the impersonated user. */
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

  /** The attributes that authorizers and flow schemas match. */
  get attributes(): Attributes {
    this.#attributes ??= attributesOf(this.user, this.info, this.query)
    return this.#attributes
  }

  /** Its audit record; undefined before there is one, or if the policy keeps nothing of it. */
  get audit(): RequestAudit | undefined {
    return this.#audit
  }

  recordedBy(audit: RequestAudit | undefined): void {
    this.#audit = audit
  }

  /** Ends the trail, which may record another request from now on. `code` as for `Trail.complete`. */
  completeTrail(code: number): void {
    this.trail?.complete(code)
    this.trail = undefined
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    this.#audit?.annotate(key, value, level)
    this.trail?.annotate(key, value)
  }
}
