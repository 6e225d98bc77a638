import type { KubeObject } from '../../machinery/object.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { isAnotherSize, planExpander } from './plan.ts'

const NAME = 'volume_expand'
const RESIZER = 'volume.kubernetes.io/storage-resizer'

/** Tells of claims that are to grow: whoever made their volumes does the work. */
export function createVolumeExpander(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.of(PERSISTENT_VOLUMES)
  const events = deps.recorder(NAME)
  const enqueue = (claim: KubeObject) => {
    if (claim.status?.phase === 'Bound') queue.add(objectKey(claim))
  }
  claims.addHandler({
    added: enqueue,
    updated: (claim, old) => {
      if (isAnotherSize(claim, old)) enqueue(claim)
    },
  })

  async function reconcile(key: string): Promise<undefined> {
    const claim = claims.get(key)
    if (claim === undefined) return
    const plan = planExpander(claim, volumes.get(claim.spec?.volumeName ?? ''))
    if (plan.kind === 'keep') return
    events.record({ regarding: referenceTo(claim), type: 'Normal', reason: 'ExternalExpanding', message: plan.message })
    const { namespace = '', name = '', annotations } = claim.metadata
    if (plan.resizer === undefined || annotations?.[RESIZER] === plan.resizer) return
    const metadata = { annotations: { [RESIZER]: plan.resizer } }
    await client.patch({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name }, 'merge', { metadata })
  }

  return queueController({ name: 'volume-expander', queue, copies: [claims, volumes], reconcile, log })
}
