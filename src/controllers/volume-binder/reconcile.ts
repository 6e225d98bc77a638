import { classNameOf } from '../../resources/core/claim-annotations.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import { targetOf } from '../frame/objects.ts'
import { carryOutClaim } from './carry-out-claim.ts'
import { carryOutRecycling, carryOutVolume, setKeeper } from './carry-out-volume.ts'
import type { BinderDeps } from './deps.ts'
import { lateDefaultClass, planClaim } from './plan.ts'
import { planRecycling, RECYCLERS, recyclerOf } from './recycling.ts'
import { keeperOf, planVolume } from './volume-plan.ts'

/** How often a waiting claim or volume is tried again, and reported again. As upstream. */
const RESYNC = { requeueAfterMs: 15_000 } as const

export async function reconcileClaim(deps: BinderDeps, claim: PersistentVolumeClaim): Promise<ReconcileResult> {
  const { client, classes, volumes, enqueue } = deps
  const defaultClass = lateDefaultClass(claim, classes.list())
  if (defaultClass !== undefined) {
    await client.patch(targetOf(PERSISTENT_VOLUME_CLAIMS, claim), 'merge', { spec: { storageClassName: defaultClass } })
    return undefined
  }
  const className = classNameOf(claim)
  const storageClass = className === '' ? undefined : classes.get(className)
  const named = claim.spec?.volumeName
  const volume = named ? volumes.get(named) : undefined
  const candidates = named ? [volume ?? []].flat() : volumes.list()
  const plan = planClaim({ claim, volumes: candidates, storageClass, waitingPods: () => waitingPods(deps, claim) })
  await carryOutClaim(claim, plan, deps)
  // The phase of a volume depends on its claim.
  if (volume !== undefined && plan.kind === 'keep') enqueue(volume)
  return plan.kind === 'report' || plan.kind === 'ask' ? RESYNC : undefined
}

/** The names of pods that use the claim and have no node yet. */
function waitingPods({ pods }: BinderDeps, { metadata: { namespace = '', name = '' } }: PersistentVolumeClaim): readonly string[] {
  return pods
    .list(namespace)
    .filter((pod) => !pod.spec.nodeName && claimsOf(pod).includes(name))
    .map((pod) => pod.metadata.name ?? '')
    .sort()
}

export async function reconcileVolume(deps: BinderDeps, volume: PersistentVolume): Promise<ReconcileResult> {
  const { client, claims, enqueue } = deps
  const keeper = keeperOf(volume)
  if (keeper !== undefined) {
    await setKeeper(volume, keeper, client)
    return undefined
  }
  const plan = planVolume(volume, (namespace, name) => claims.get(`${namespace}/${name}`))
  if (plan.kind === 'recycle') return recycle(deps, volume)
  await carryOutVolume(volume, plan, deps)
  if (plan.kind !== 'ask claim') return undefined
  if (plan.mismatch) return RESYNC
  enqueue(plan.claim)
  return undefined
}

async function recycle(deps: BinderDeps, volume: PersistentVolume): Promise<ReconcileResult> {
  const { pods, claims } = deps
  const { namespace = '', name = '' } = volume.spec?.claimRef ?? {}
  const plan = planRecycling(volume, {
    recycler: pods.get(`${RECYCLERS}/${recyclerOf(volume)}`),
    pods: pods.list(namespace),
    claimed: claims.get(`${namespace}/${name}`) !== undefined,
  })
  await carryOutRecycling(volume, plan, deps)
  return plan.kind === 'failed' || plan.kind === 'in use' ? RESYNC : undefined
}
