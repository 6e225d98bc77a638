import { ignoring } from '../../machinery/ignoring.ts'
import { CLUSTER_ROLES } from '../../resources/refs.ts'
import type { ClusterRole, PolicyRule } from '../../resources/types/rbac.ts'
import type { Client } from '../../sdk/client/client.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { targetOf } from '../frame/objects.ts'
import { planAggregation } from './plan.ts'

const NAME = 'clusterrole-aggregation-controller'

/** Fills the cluster roles that are the sum of others. */
export const createController = defineController({
  name: NAME,
  for: CLUSTER_ROLES,
  deps: ({ client, informers }) => ({ client, roles: informers.of(CLUSTER_ROLES) }),
  when: (role) => role.aggregationRule !== undefined,
  watch({ roles }, keys) {
    const changed = () => {
      for (const role of roles.list()) if (role.aggregationRule !== undefined) keys.add(objectKey(role))
    }
    roles.addHandler({ added: () => roles.hasSynced && changed(), updated: changed, deleted: changed })
  },
  async reconcile({ client, roles }, role) {
    const rules = planAggregation(role, roles.list())
    if (rules !== undefined) await apply(client, role, rules)
  },
})

/**
 * Applies the rules, so that whoever applies the role too is told whose they are. Without rules the controller owns none.
 * The uid keeps a role that is gone from coming back.
 */
async function apply(client: Client, role: ClusterRole, rules: readonly PolicyRule[]): Promise<void> {
  const { name, uid } = role.metadata
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, uid },
    ...(rules.length > 0 && { rules }),
  }
  await client.patch(targetOf(CLUSTER_ROLES, role), 'apply', body, { fieldManager: NAME, force: true }).catch(ignoring('Conflict'))
}
