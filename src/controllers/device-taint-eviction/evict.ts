import type { Clock } from '../../base/clock.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { ResourceClaim, ResourceSlice } from '../../resources/types/resource.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { deleteObject, targetOf } from '../frame/objects.ts'
import { disruptionTarget, isMarked } from '../pods/disruption-target.ts'
import { claimsInUse, evictionTime } from './plan.ts'

/** `waits`: the pod will be deleted. `done`: it was. */
export type Planned = 'waits' | 'done'

export interface TaintEvictionDeps {
  readonly client: Client
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly claims: Informer<ResourceClaim>
  readonly slices: Informer<ResourceSlice>
  /** By the pod's uid. */
  readonly planned: Map<string, Planned>
}

const REASON = 'DeviceTaintManagerEviction'

/** Deletes the pod when the tolerations of its claims run out. */
export async function evictIfTainted(deps: TaintEvictionDeps, pod: Pod): Promise<ReconcileResult> {
  const { clock, events, claims, slices, planned } = deps
  const { namespace = '', uid = '', deletionTimestamp } = pod.metadata
  if (deletionTimestamp !== undefined) return undefined
  const used = claimsInUse(pod, (name) => claims.get(`${namespace}/${name}`))
  const slicesOf = (driver: string, pool: string) => slices.list().filter(({ spec }) => spec.driver === driver && spec.pool.name === pool)
  const evictMs = evictionTime(used, slicesOf)
  if (evictMs === undefined) {
    if (planned.get(uid) === 'waits') events.normal(pod, REASON, 'Cancelling deletion')
    planned.delete(uid)
    return undefined
  }
  if (planned.get(uid) === 'done') return undefined
  planned.set(uid, 'waits')
  const requeueAfterMs = evictMs - clock.now()
  if (requeueAfterMs > 0) return { requeueAfterMs }
  await evict(deps, pod)
  planned.set(uid, 'done')
  return undefined
}

async function evict({ client, clock, events }: TaintEvictionDeps, pod: Pod): Promise<void> {
  const { uid = '' } = pod.metadata
  events.normal(pod, REASON, 'Marking for deletion')
  const why = { reason: 'DeletionByDeviceTaintManager', message: 'Device Taint manager: deleting due to NoExecute taint' }
  if (!isMarked(pod, why)) {
    const condition = disruptionTarget(pod, why, clock.now())
    const status = { ...appended(pod, condition.type), conditions: [condition] }
    const target = { ...targetOf(PODS, pod), subresource: 'status' }
    await client.patch(target, 'strategic', { metadata: { uid }, status }).catch(ignoring('NotFound', 'Conflict'))
  }
  await deleteObject(client, PODS, pod).catch(ignoring('NotFound', 'Conflict'))
}

/** A new condition comes after the existing ones. */
function appended({ status }: Pod, type: string) {
  const types = new Set([...(status?.conditions ?? []).map((c) => c.type), type])
  return { '$setElementOrder/conditions': [...types].map((name) => ({ type: name })) }
}
