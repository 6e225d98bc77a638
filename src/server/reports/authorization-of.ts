import type { RecordedTrail } from '../../apiserver/trail/recorded-trail.ts'
import { SYSTEM_MASTERS } from '../../machinery/resource/user.ts'
import type { TrailAuthorization } from '../../resources/bowsprit/request-trail.ts'

const DECISION = 'authorization.k8s.io/decision'
const REASON = 'authorization.k8s.io/reason'

/** Annotations that the trail shows in fields of its own. */
export const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([DECISION, REASON])

/** `RBAC: allowed by RoleBinding "devs/shop" of Role "editor" to User "ann"`; names are quoted as Go does. */
const GRANT = /^RBAC: allowed by ((?:Cluster)?RoleBinding) ("(?:[^"\\]|\\.)*") of ((?:Cluster)?Role) ("(?:[^"\\]|\\.)*")/

/** The decision of the authorizers, from the annotations of the audit log. */
export function authorizationOf({ annotations = [], user }: Pick<RecordedTrail, 'annotations' | 'user'>): TrailAuthorization | undefined {
  const decision = annotationOf(annotations, DECISION)
  const reason = annotationOf(annotations, REASON)
  if (decision === undefined && reason === undefined) return undefined
  return {
    decision: decision === 'allow' ? 'allow' : decision === 'forbid' ? 'forbid' : 'error',
    reason: reason ?? '',
    ...(reason ? grantOf(reason) : user?.groups.includes(SYSTEM_MASTERS) === true && { authorizer: SYSTEM_MASTERS }),
  }
}

function grantOf(reason: string) {
  const [, bindingKind, binding, roleKind, role] = GRANT.exec(reason) ?? []
  if (bindingKind === undefined) return reason.startsWith('RBAC') ? { authorizer: 'RBAC' } : {}
  return { authorizer: 'RBAC', binding: `${bindingKind} ${unquoted(binding)}`, role: `${roleKind} ${unquoted(role)}` }
}

/** Names of roles and bindings are path segments: of what Go escapes they hold quotes and backslashes at most. */
const unquoted = (text = '""') => text.slice(1, -1).replace(/\\(.)/g, '$1')

function annotationOf(annotations: readonly string[], key: string): string | undefined {
  for (let i = 0; i + 1 < annotations.length; i += 2) if (annotations[i] === key) return annotations[i + 1]
  return undefined
}
