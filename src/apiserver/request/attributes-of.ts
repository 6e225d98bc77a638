import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Attributes } from '../identity/authorizer.ts'
import type { Query } from './query.ts'
import type { RequestInfo } from './request-info.ts'

/** Verbs to which selectors apply. */
const SELECTING = new Set(['list', 'watch', 'deletecollection'])

/** The attributes that authorizers and flow schemas match. */
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
