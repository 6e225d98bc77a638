import type { KubeObject } from '../../machinery/object.ts'
import { classNameOf } from '../../resources/core/claim-annotations.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { carryOutClaim } from './carry-out-claim.ts'
import { carryOutRecycling, carryOutVolume, setKeeper } from './carry-out-volume.ts'
import { lateDefaultClass, planClaim } from './plan.ts'
import { planRecycling, RECYCLERS, recyclerOf, wipedBy } from './recycling.ts'
import { keeperOf, planVolume } from './volume-plan.ts'

const NAME = 'persistentvolume-controller'
/** How often what waits is looked at again, and said again. */
const RESYNC = { requeueAfterMs: 15_000 } as const

/** Brings claims and volumes together, and does with volumes that are free again what their policy says. Others make them. */
export function createVolumeBinder(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.of(PERSISTENT_VOLUMES)
  const classes = informers.of(STORAGE_CLASSES)
  const pods = informers.of(PODS)
  const hands = { client, events: deps.recorder(NAME) }
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  const pending = () => {
    for (const claim of claims.list()) if (claim.status?.phase !== 'Bound') enqueue(claim)
  }
  const volumeChanged = (volume: KubeObject) => {
    enqueue(volume)
    const ref = volume.spec?.claimRef
    if (ref) queue.add(`${ref.namespace}/${ref.name}`)
    else pending()
  }
  /** Those that the volume was for before are told too. */
  const volumeUpdated = (volume: KubeObject, old: KubeObject) => {
    volumeChanged(volume)
    const ref = old.spec?.claimRef
    if (ref && ref.uid !== volume.spec?.claimRef?.uid) queue.add(`${ref.namespace}/${ref.name}`)
  }
  const ofClaim = (claim: KubeObject) => {
    if (claim.spec?.volumeName) queue.add(claim.spec.volumeName)
  }
  claims.addHandler({ added: enqueue, updated: enqueue, deleted: ofClaim })
  volumes.addHandler({ added: volumeChanged, updated: volumeUpdated, deleted: volumeChanged })
  const ofRecycler = (pod: KubeObject) => {
    const volume = wipedBy(pod)
    if (volume !== undefined) queue.add(volume)
  }
  pods.addHandler({ updated: ofRecycler, deleted: ofRecycler })
  classes.addHandler({ added: pending, updated: pending })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const claim = claims.get(key)
    if (claim !== undefined) return lookAtClaim(claim)
    const volume = volumes.get(key)
    return volume === undefined ? undefined : lookAtVolume(volume)
  }

  async function lookAtClaim(claim: KubeObject): Promise<{ requeueAfterMs: number } | undefined> {
    const late = lateDefaultClass(claim, classes.list())
    if (late !== undefined) {
      const { namespace = '', name = '' } = claim.metadata
      await client.patch({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name }, 'merge', { spec: { storageClassName: late } })
      return undefined
    }
    const storageClass = classNameOf(claim) === '' ? undefined : classes.get(classNameOf(claim))
    const named: string | undefined = claim.spec?.volumeName
    const volume = named ? volumes.get(named) : undefined
    const candidates = named ? (volume === undefined ? [] : [volume]) : volumes.list()
    const plan = planClaim({ claim, volumes: candidates, storageClass, waitingPods: () => waitingPods(claim) })
    await carryOutClaim(claim, plan, hands)
    // What a volume is depends on its claim too.
    if (volume !== undefined && plan.kind === 'keep') enqueue(volume)
    return plan.kind === 'tell' || plan.kind === 'ask' ? RESYNC : undefined
  }

  async function lookAtVolume(volume: KubeObject): Promise<{ requeueAfterMs: number } | undefined> {
    const keeper = keeperOf(volume)
    if (keeper !== undefined) {
      await setKeeper(volume, keeper, client)
      return undefined
    }
    const plan = planVolume(volume, (namespace, name) => claims.get(`${namespace}/${name}`))
    if (plan.kind === 'recycle') return recycle(volume)
    await carryOutVolume(volume, plan, hands)
    if (plan.kind !== 'ask claim') return undefined
    if (!plan.mismatch) enqueue(plan.claim)
    return plan.mismatch ? RESYNC : undefined
  }

  async function recycle(volume: KubeObject): Promise<{ requeueAfterMs: number } | undefined> {
    const { namespace = '', name = '' }: { namespace?: string; name?: string } = volume.spec?.claimRef ?? {}
    const plan = planRecycling(volume, {
      recycler: pods.get(`${RECYCLERS}/${recyclerOf(volume)}`),
      pods: pods.list(namespace),
      claimed: claims.get(`${namespace}/${name}`) !== undefined,
    })
    await carryOutRecycling(volume, plan, hands)
    return plan.kind === 'failed' || plan.kind === 'in use' ? RESYNC : undefined
  }

  function waitingPods(claim: KubeObject): readonly string[] {
    const { namespace = '', name = '' } = claim.metadata
    return pods
      .list(namespace)
      .filter((pod) => !pod.spec?.nodeName && claimsOf(pod).includes(name))
      .map((pod) => pod.metadata.name ?? '')
      .sort()
  }

  return queueController({ name: NAME, queue, copies: [claims, volumes, classes, pods], reconcile, log })
}
