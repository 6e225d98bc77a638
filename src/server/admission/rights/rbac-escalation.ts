import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { inTurns } from '../../../base/steps.ts'
import { semanticEqual } from '../../../machinery/equal.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { SYSTEM_MASTERS } from '../../../machinery/resource/user.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../../resources/refs.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '../../../resources/types/rbac.ts'
import { escalationFault } from '../../auth/rbac/escalation.ts'
import { RBAC_GROUP } from '../../auth/rbac/rbac-policy.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { isAbout, isWrite } from '../requests-about.ts'
import { changesOnlyOwners } from './changes-only-owners.ts'

const isRole = (r: AdmissionRequest): r is AdmissionRequest<Role | ClusterRole> => isAbout(r, ROLES) || isAbout(r, CLUSTER_ROLES)
const isBinding = (r: AdmissionRequest): r is AdmissionRequest<RoleBinding | ClusterRoleBinding> =>
  isAbout(r, ROLE_BINDINGS) || isAbout(r, CLUSTER_ROLE_BINDINGS)

/** The rules that a user must have to aggregate roles. */
const EVERYTHING = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/**
 * A user cannot grant permissions that the user does not have, by writing roles or bindings, without the right to `escalate` or `bind`.
 * Upstream does this in the storage of these kinds, between mutation and validation; so this is the last mutating plugin.
 */
export function rbacEscalation({ authorizer, policy }: AdmissionDeps): AdmissionPlugin {
  const may = async (request: AdmissionRequest, verb: string, resource: string, name: string) => {
    const decision = await authorizer.authorize(
      resourceAttributes({ user: request.user, verb, group: RBAC_GROUP, resource, name, namespace: request.namespace }),
    )
    return decision.verdict === 'allow'
  }
  const faultOf = (request: AdmissionRequest, rules: readonly PolicyRule[]) =>
    inTurns(escalationFault(policy, request.user, request.namespace, rules))
  const refuseMissing = async (request: AdmissionRequest, rules: readonly PolicyRule[]) => {
    const fault = await faultOf(request, rules)
    if (fault !== undefined) throw refusal(request, fault)
  }
  // A create has no name in its path: a right on named roles does not apply.
  const nameOf = (request: AdmissionRequest) => (request.operation === 'CREATE' ? '' : request.name)
  const checkRole = async (request: AdmissionRequest<Role | ClusterRole>, role: Role | ClusterRole) => {
    if (await may(request, 'escalate', request.resource.resource, nameOf(request))) return
    // An aggregated role gets the rules of the roles that it selects.
    const aggregation = aggregationOf(role)
    const aggregates = aggregation !== undefined && !semanticEqual(aggregation, aggregationOf(request.oldObject))
    if (aggregates && (await faultOf(request, EVERYTHING)) !== undefined)
      throw refusal(request, 'must have cluster-admin privileges to use the aggregationRule')
    await refuseMissing(request, role.rules ?? [])
  }
  const checkBinding = async (request: AdmissionRequest, ref: Partial<RoleRef>) => {
    const { kind, name = '' } = ref
    const bound = kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined
    if (kind === undefined || bound === undefined || (await may(request, 'bind', bound, name))) return
    const rules = policy.roleRules({ kind, name }, request.namespace)
    if (rules === undefined) throw missingRole(name, request.resource.resource)
    await refuseMissing(request, rules)
  }
  return {
    name: 'RbacEscalation',
    handles: (r) => isWrite(r) && (isRole(r) || isBinding(r)) && !r.user.groups.includes(SYSTEM_MASTERS),
    async mutate(request) {
      const { object, oldObject } = request
      if (object === undefined || (oldObject !== undefined && changesOnlyOwners(object, oldObject))) return
      if (isRole(request) && request.object !== undefined) return checkRole(request, request.object)
      if (isBinding(request)) return checkBinding(request, request.object?.roleRef ?? {})
    },
  }
}

const aggregationOf = (role: Role | ClusterRole | undefined) => (role?.kind === 'ClusterRole' ? role.aggregationRule : undefined)

/** As upstream, the message has the kind that is written, not the one that is missing. */
function missingRole(name: string, kind: string): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: `${kind}.${RBAC_GROUP} ${goQuote(name)} not found`,
    details: { name, group: RBAC_GROUP, kind },
  })
}
