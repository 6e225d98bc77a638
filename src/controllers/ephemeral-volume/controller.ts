import type { KubeObject } from '../../machinery/object.ts'
import { isTerminatingNamespace } from '../../machinery/status-error.ts'
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { controllerOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { hasEphemeralVolumes, planEphemeralVolumes } from './plan.ts'

/** Makes the claims of ephemeral volumes; they belong to their pod, and go with it. */
export function createEphemeralVolumeController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const pods = informers.of(PODS)
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const events = deps.recorder('ephemeral_volume')
  const seen = (pod: KubeObject) => {
    if (hasEphemeralVolumes(pod)) queue.add(objectKey(pod))
  }
  pods.addHandler({ added: seen, updated: seen })
  claims.addHandler({
    deleted(claim) {
      const owner = controllerOf(claim)
      if (owner?.kind === 'Pod') queue.add(`${claim.metadata.namespace}/${owner.name}`)
    },
  })

  async function reconcile(key: string): Promise<void> {
    const pod = pods.get(key)
    if (pod === undefined) return
    const { namespace = '' } = pod.metadata
    for (const plan of planEphemeralVolumes(pod, (name) => claims.get(`${namespace}/${name}`))) {
      if (plan.kind === 'taken') throw fail(pod, plan.volume, plan.message)
      try {
        await client.create({ ...PERSISTENT_VOLUME_CLAIMS, namespace }, plan.claim)
      } catch (error) {
        if (isTerminatingNamespace(error)) return
        throw fail(pod, plan.volume, `create PVC ${plan.claim.metadata.name}: ${error instanceof Error ? error.message : error}`)
      }
    }
  }

  function fail(pod: KubeObject, volume: string, why: string): Error {
    const message = `ephemeral volume ${volume}: ${why}`
    events.record({ regarding: referenceTo(pod), type: 'Warning', reason: 'FailedBinding', message })
    return new Error(message)
  }

  return queueController({ name: 'ephemeral-volume', queue, workers: 5, copies: [pods, claims], reconcile, log })
}
