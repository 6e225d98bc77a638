import type { UserInfo } from '../../../machinery/resource/user.ts'
import { type Attributes, type Authorizer, forbiddenRequest } from '../../identity/authorizer.ts'
import type { Query } from './query.ts'
import type { RequestInfo } from './request-info.ts'

/** Asks whether the user may do this; throws 403 in Kubernetes' words. */
export async function authorize(authorizer: Authorizer, user: UserInfo, info: RequestInfo, query: Query): Promise<void> {
  const attributes = attributesOf(user, info, query)
  const pending = authorizer.authorize(attributes)
  const decision = pending instanceof Promise ? await pending : pending
  if (decision.verdict !== 'allow') throw forbiddenRequest(attributes, decision.reason)
}

export function attributesOf(user: UserInfo, info: RequestInfo, query: Query): Attributes {
  const { target } = info
  const fieldSelector = query.get('fieldSelector')
  const labelSelector = query.get('labelSelector')
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
