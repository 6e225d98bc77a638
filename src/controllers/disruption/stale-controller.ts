import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { PODS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { staleInMs } from './stale-plan.ts'

/** Takes back what pods are told of their end when it does not come. */
export function createStaleDisruptionController({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const pods = informers.of(PODS)
  const seen = (pod: KubeObject) => {
    const ms = staleInMs(pod, clock.now())
    if (ms !== undefined) queue.addAfter(objectKey(pod), ms)
  }
  pods.addHandler({ added: seen, updated: seen })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const pod = pods.get(key)
    const ms = pod && staleInMs(pod, clock.now())
    if (pod === undefined || ms === undefined) return undefined
    if (ms > 0) return { requeueAfterMs: ms }
    const { namespace = '', name = '', uid, generation } = pod.metadata
    const condition = {
      type: 'DisruptionTarget',
      status: 'False',
      reason: null,
      message: null,
      lastTransitionTime: timestamp(clock.now()),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    }
    const body = { metadata: uid === undefined ? {} : { uid }, status: { conditions: [condition] } }
    await client.patch({ ...PODS, namespace, name, subresource: 'status' }, 'strategic', body).catch((error) => {
      if (!isStatus(error, 'NotFound', 'Conflict')) throw error
    })
    return undefined
  }

  return queueController({ name: 'stale-disruption', queue, copies: [pods], reconcile, log })
}
