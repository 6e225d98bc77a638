import { timestamp } from '../../base/clock.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { PODS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { targetOf } from '../frame/objects.ts'
import { staleInMs } from './stale-plan.ts'

/** Withdraws the condition `DisruptionTarget` from pods that were not deleted after all. */
export const createController = defineController({
  name: 'stale-disruption',
  for: PODS,
  deps: ({ client, clock }) => ({ client, clock }),
  when: (pod, { clock }) => staleInMs(pod, clock.now()) !== undefined,
  async reconcile({ client, clock }, pod) {
    const requeueAfterMs = staleInMs(pod, clock.now())
    if (requeueAfterMs === undefined) return undefined
    if (requeueAfterMs > 0) return { requeueAfterMs }
    const { uid, generation } = pod.metadata
    const condition = {
      type: 'DisruptionTarget',
      status: 'False',
      reason: null,
      message: null,
      lastTransitionTime: timestamp(clock.now()),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    }
    const patch = { metadata: uid === undefined ? {} : { uid }, status: { conditions: [condition] } }
    await client.patch({ ...targetOf(PODS, pod), subresource: 'status' }, 'strategic', patch).catch(ignoring('NotFound', 'Conflict'))
    return undefined
  },
})
