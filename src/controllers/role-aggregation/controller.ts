import { ignoring } from '../../machinery/ignoring.ts'
import { CLUSTER_ROLES } from '../../resources/refs.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { updateObject } from '../frame/objects.ts'
import { planAggregation } from './plan.ts'

/** Fills the cluster roles that are the sum of others. */
export const createController = defineController({
  name: 'clusterrole-aggregation-controller',
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
    if (rules !== undefined) await updateObject(client, CLUSTER_ROLES, { ...role, rules }).catch(ignoring('NotFound'))
  },
})
