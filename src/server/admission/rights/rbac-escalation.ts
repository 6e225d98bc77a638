import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { semanticEqual } from '../../../machinery/equal.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { SYSTEM_MASTERS } from '../../../machinery/resource/user.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import { escalationFault } from '../../auth/rbac/escalation.ts'
import { RBAC_GROUP, type RoleRef } from '../../auth/rbac/rbac-policy.ts'
import type { AdmissionDeps } from '../admission-deps.ts'

const ROLES = new Set(['roles', 'clusterroles'])
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings'])

/**
 * Nobody hands on permissions that they do not hold, by writing roles or by binding them, unless they may `escalate` or `bind`. Upstream
 * does this in the storage of these kinds, between mutation and validation; as the last of the mutating plugins it stands at the same
 * place.
 */
export function rbacEscalation({ authorizer, policy }: AdmissionDeps): AdmissionPlugin {
  const may = async (request: AdmissionRequest, verb: string, resource: string, name: string) => {
    const decision = await authorizer.authorize(
      resourceAttributes({ user: request.user, verb, group: RBAC_GROUP, resource, name, namespace: request.namespace }),
    )
    return decision.verdict === 'allow'
  }
  const refuseMissing = (request: AdmissionRequest, rules: Parameters<typeof escalationFault>[3]) => {
    const fault = escalationFault(policy, request.user, request.namespace, rules)
    if (fault !== undefined) throw refusal(request, fault)
  }
  return {
    name: 'RbacEscalation',
    handles: (r) =>
      r.resource.group === RBAC_GROUP &&
      r.subresource === '' &&
      (r.operation === 'CREATE' || r.operation === 'UPDATE') &&
      (ROLES.has(r.resource.resource) || BINDINGS.has(r.resource.resource)) &&
      !r.user.groups.includes(SYSTEM_MASTERS),
    async mutate(request) {
      const { object, oldObject } = request
      if (object === undefined || (oldObject !== undefined && onlyOwnersChanged(object, oldObject))) return
      const { resource } = request.resource
      // A create names nothing in its address: a right on named roles does not help there.
      const name = request.operation === 'CREATE' ? '' : request.name
      if (ROLES.has(resource)) {
        if (await may(request, 'escalate', resource, name)) return
        // An aggregated role will hold whatever the roles that it selects hold: only who holds everything may write that.
        const everything = [
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
          { verbs: ['*'], nonResourceURLs: ['*'] },
        ]
        const aggregates = object.aggregationRule !== undefined && !semanticEqual(object.aggregationRule, oldObject?.aggregationRule)
        if (aggregates && escalationFault(policy, request.user, request.namespace, everything) !== undefined) {
          throw refusal(request, 'must have cluster-admin privileges to use the aggregationRule')
        }
        return refuseMissing(request, object.rules ?? [])
      }
      const ref = (object.roleRef ?? {}) as RoleRef
      const bound = ref.kind === 'ClusterRole' ? 'clusterroles' : ref.kind === 'Role' ? 'roles' : undefined
      if (bound !== undefined && (await may(request, 'bind', bound, ref.name))) return
      const rules = bound === undefined ? undefined : policy.roleRules(ref, request.namespace)
      if (bound === undefined) return
      if (rules === undefined) throw missingRole(ref, resource)
      refuseMissing(request, rules)
    },
  }
}

/** As upstream says it: under the name of the kind that is written, not of the one that is missing. */
function missingRole(ref: RoleRef, kind: string): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: `${kind}.${RBAC_GROUP} ${goQuote(ref.name)} not found`,
    details: { name: ref.name, group: RBAC_GROUP, kind },
  })
}

/** Whether only owner references and finalizers differ: the garbage collector must be able to do its work on every role. */
function onlyOwnersChanged(object: KubeObject, old: KubeObject): boolean {
  const bare = ({ metadata, ...rest }: KubeObject) => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, resourceVersion: ____, ...meta } = metadata
    return { ...rest, metadata: meta }
  }
  const changed =
    !semanticEqual(object.metadata.ownerReferences, old.metadata.ownerReferences) ||
    !semanticEqual(object.metadata.finalizers, old.metadata.finalizers)
  return changed && semanticEqual(bare(object), bare(old))
}
