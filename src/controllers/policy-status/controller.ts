import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { planStatus } from './plan.ts'
import { policyTypes } from './types.ts'

/** Checks the expressions of validating policies against the types that they are about, and says in the status what does not fit. */
export function createPolicyStatusController({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const policies = informers.of(VALIDATING_ADMISSION_POLICIES)
  const definitions = informers.of(CUSTOM_RESOURCE_DEFINITIONS)
  const types = policyTypes(() => definitions.list())
  const changed = (policy: KubeObject) => queue.add(policy.metadata.name ?? '')
  policies.addHandler({ added: changed, updated: changed })

  async function reconcile(name: string): Promise<void> {
    const policy = policies.get(name)
    const status = policy && planStatus(policy, types)
    if (policy === undefined || status === undefined) return
    await client.update({ ...VALIDATING_ADMISSION_POLICIES, name, subresource: 'status' }, { ...policy, status }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  return queueController({ name: 'policy-status', queue, workers: 1, copies: [policies, definitions], reconcile, log })
}
