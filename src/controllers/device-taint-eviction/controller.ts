import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { claimsInUse, evictionTime, resultsOf } from './plan.ts'

const NAME = 'device-taint-eviction-controller'

/** Deletes pods whose devices got a taint NoExecute that their claims do not tolerate, or no longer. */
export function createDeviceTaintEvictionController({ client, clock, informers, recorder, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const pods = informers.of(PODS)
  const claims = informers.of(RESOURCE_CLAIMS)
  const slices = informers.of(RESOURCE_SLICES)
  const events = recorder(NAME)
  /** Pods that are to go, by uid; `done`: they were sent away. */
  const planned = new Map<string, 'waits' | 'done'>()

  const podChanged = (pod: KubeObject) => {
    if ((pod.spec?.resourceClaims?.length ?? 0) > 0) queue.add(objectKey(pod))
  }
  const claimChanged = (claim: KubeObject) => {
    const users: readonly { resource: string; name: string }[] = claim.status?.reservedFor ?? []
    for (const user of users) if (user.resource === 'pods') queue.add(`${claim.metadata.namespace}/${user.name}`)
  }
  const sliceChanged = ({ spec }: KubeObject) => {
    for (const claim of claims.list())
      if (resultsOf(claim).some((r) => r.driver === spec?.driver && r.pool === spec?.pool?.name)) claimChanged(claim)
  }
  pods.addHandler({
    added: podChanged,
    updated: podChanged,
    deleted: (pod) => {
      planned.delete(pod.metadata.uid ?? '')
    },
  })
  claims.addHandler({
    added: claimChanged,
    updated(claim, old) {
      claimChanged(old)
      claimChanged(claim)
    },
    deleted: claimChanged,
  })
  slices.addHandler({ added: sliceChanged, updated: sliceChanged, deleted: sliceChanged })

  const slicesOf = (driver: string, pool: string) =>
    slices.list().filter(({ spec }) => spec?.driver === driver && spec?.pool?.name === pool)

  async function reconcile(key: string): Promise<undefined> {
    const pod = pods.get(key)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined
    const { namespace = '', uid = '' } = pod.metadata
    const used = claimsInUse(pod, (name) => claims.get(`${namespace}/${name}`))
    const at = evictionTime(used, slicesOf)
    if (at === undefined) {
      if (planned.get(uid) === 'waits') tell(pod, 'Cancelling deletion')
      planned.delete(uid)
      return undefined
    }
    const waitMs = at - clock.now()
    if (planned.get(uid) === 'done') return undefined
    planned.set(uid, 'waits')
    if (waitMs > 0) {
      queue.addAfter(key, waitMs)
      return undefined
    }
    await evict(pod)
    planned.set(uid, 'done')
    return undefined
  }

  const tell = (pod: KubeObject, message: string) =>
    events.record({ regarding: referenceTo(pod), type: 'Normal', reason: 'DeviceTaintManagerEviction', message })

  async function evict(pod: KubeObject): Promise<void> {
    const { namespace = '', name = '', uid = '', generation } = pod.metadata
    tell(pod, 'Marking for deletion')
    const conditions = [
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByDeviceTaintManager',
        message: 'Device Taint manager: deleting due to NoExecute taint',
        lastTransitionTime: timestamp(clock.now()),
        ...(generation === undefined ? {} : { observedGeneration: generation }),
      },
    ]
    const status = { ...order(pod), conditions }
    await client.patch({ ...PODS, namespace, name, subresource: 'status' }, 'strategic', { metadata: { uid }, status }).catch(ignoreGone)
    await client.delete({ ...PODS, namespace, name }, { preconditions: { uid } }).catch(ignoreGone)
  }

  return queueController({ name: NAME, queue, copies: [pods, claims, slices], reconcile, log })
}

/** A new condition comes after those that are there. */
function order(pod: KubeObject) {
  const there: readonly { type: string }[] = pod.status?.conditions ?? []
  const types = new Set([...there.map((c) => c.type), 'DisruptionTarget'])
  return { '$setElementOrder/conditions': [...types].map((type) => ({ type })) }
}

function ignoreGone(error: unknown): void {
  if (!isStatus(error, 'NotFound', 'Conflict')) throw error
}
