import type { AdmissionPlugin, AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { inTurns } from '../../../base/steps.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { pathSegmentName } from '../../../machinery/names.ts'
import { SYSTEM_MASTERS } from '../../../machinery/resource/user.ts'
import { badRequest, forbiddenStatus, invalidNameParameter, notFound } from '../../../machinery/status-error.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../../resources/refs.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '../../../resources/types/rbac.ts'
import { escalationFault } from '../../auth/rbac/escalation.ts'
import { RBAC_GROUP } from '../../auth/rbac/rbac-policy.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { plainError } from '../plain-error.ts'
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
  const may = async ({ user, namespace }: AdmissionRequest, verb: string, role: { group: string; resource: string; name: string }) => {
    const decision = await authorizer.authorize(resourceAttributes({ user, verb, ...role, namespace }))
    return decision.verdict === 'allow'
  }
  const faultOf = (request: AdmissionRequest, rules: readonly PolicyRule[]) => inTurns(escalationFault(policy, request, rules))
  const refuseMissing = async (request: AdmissionRequest, rules: readonly PolicyRule[]) => {
    const fault = await faultOf(request, rules)
    if (fault !== undefined) throw forbidden(request, fault)
  }
  const checkRole = async (request: AdmissionRequest<Role | ClusterRole>, role: Role | ClusterRole) => {
    // A right on named roles does not apply to a create without a name in its path.
    const { pathName: name = '' } = request
    if (await may(request, 'escalate', { group: RBAC_GROUP, resource: request.resource.resource, name })) return
    await refuseMissing(request, (role.rules ?? []).map(complete))
    // An aggregated role gets the rules of the roles that it selects.
    if ((aggregates(role) || aggregates(request.oldObject)) && (await faultOf(request, EVERYTHING)) !== undefined)
      throw forbidden(request, 'must have cluster-admin privileges to use the aggregationRule')
  }
  const checkBinding = async (request: AdmissionRequest, { apiGroup: group = '', kind = '', name = '' }: Partial<RoleRef>) => {
    const resource = kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined
    if (resource === undefined) throw plainError(`unsupported role reference kind: ${goQuote(kind)}`)
    if (await may(request, 'bind', { group, resource, name })) return
    if (kind === 'Role' && request.namespace === '') throw badRequest('Namespace parameter required.')
    if (name === '') throw badRequest('Name parameter required.')
    const faults = pathSegmentName(name)
    if (faults.length > 0) throw invalidNameParameter(name, faults)
    const rules = policy.roleRules({ kind, name }, request.namespace)
    // As upstream, the message has the kind that is written, not the one that is missing.
    if (rules === undefined) throw notFound(request.resource, name)
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

/** A rule that is not validated yet may lack its verbs. */
const complete = (rule: Partial<PolicyRule>): PolicyRule => ({ ...rule, verbs: rule.verbs ?? [] })

const aggregates = (role: Role | ClusterRole | undefined) =>
  role?.kind === 'ClusterRole' && (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0

/** As upstream, an object whose name is not generated yet has none. */
const forbidden = ({ resource, object }: AdmissionRequest, why: string) => forbiddenStatus(resource, object?.metadata.name ?? '', why)
