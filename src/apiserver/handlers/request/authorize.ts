import type { UserInfo } from '../../../machinery/resource/user.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import { type Attributes, type Authorizer, type Decision, forbiddenRequest } from '../../identity/authorizer.ts'
import type { Query } from './query.ts'
import type { RequestInfo } from './request-info.ts'

/** Whether the user may do this could not be found out; the message is the authorizer's. At the HTTP border it is told in plain text. */
export class AuthorizationError extends StatusError {
  constructor(message: string) {
    super({ code: 500, reason: 'InternalError', message })
  }
}

/** Asks whether a request may be made, and notes the answer. Throws 403 in Kubernetes' words, or `AuthorizationError` when an authorizer failed and nobody else allowed it. */
export function authorize(
  authorizer: Authorizer,
  attributes: Attributes,
  note: (decision: 'allow' | 'forbid' | undefined, reason: string) => void,
): void | Promise<void> {
  const settle = (decision: Decision) => {
    if (decision.verdict === 'allow') return note('allow', decision.reason)
    if (decision.error !== undefined) {
      note(undefined, 'internal error')
      throw new AuthorizationError(decision.error)
    }
    note('forbid', decision.reason)
    throw forbiddenRequest(attributes, decision.reason)
  }
  const pending = authorizer.authorize(attributes)
  return pending instanceof Promise ? pending.then(settle) : settle(pending)
}

/** Reading many, and deleting many: what a selector narrows. */
const SELECTING = new Set(['list', 'watch', 'deletecollection'])

export function attributesOf(user: UserInfo, info: RequestInfo, query: Query): Attributes {
  const { target } = info
  const selecting = target !== undefined && SELECTING.has(info.verb)
  const fieldSelector = selecting ? query.get('fieldSelector') : undefined
  const labelSelector = selecting ? query.get('labelSelector') : undefined
  return {
    user,
    verb: info.verb,
    resourceRequest: target !== undefined,
    group: target?.group ?? '',
    version: target?.version ?? '',
    resource: target?.resource ?? '',
    subresource: target?.subresource ?? '',
    namespace: target?.namespace ?? '',
    name: target?.name ?? '',
    path: info.path,
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(labelSelector ? { labelSelector } : {}),
  }
}
