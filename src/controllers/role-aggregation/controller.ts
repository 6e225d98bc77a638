import { isStatus } from '../../machinery/status-error.ts'
import { CLUSTER_ROLES } from '../../sdk/client/refs.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { planAggregation } from './plan.ts'

const NAME = 'clusterrole-aggregation-controller'

/** Fills the cluster roles that say which others they are made of. */
export function createRoleAggregationController({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const roles = informers.of(CLUSTER_ROLES)
  const changed = () => {
    for (const role of roles.list()) if (role.aggregationRule != null) queue.add(role.metadata.name ?? '')
  }
  roles.addHandler({ added: () => roles.hasSynced && changed(), updated: changed, deleted: changed })

  async function reconcile(name: string): Promise<void> {
    const role = roles.get(name)
    const rules = role === undefined ? undefined : planAggregation(role, roles.list())
    if (role === undefined || rules === undefined) return
    await client.update({ ...CLUSTER_ROLES, name }, { ...role, rules }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  return {
    name: NAME,
    async run(signal) {
      void roles.synced.then(changed)
      await runController({ name: NAME, queue, ready: [roles.synced], reconcile, log }, signal)
    },
  }
}
