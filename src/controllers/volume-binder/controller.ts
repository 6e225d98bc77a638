import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import type { BinderDeps } from './deps.ts'
import { reconcileClaim, reconcileVolume } from './reconcile.ts'
import { wipedBy } from './recycling.ts'
import { volumeFamilies } from './volume-families.ts'

const NAME = 'persistentvolume-controller'

/**
 * Binds claims and volumes, and reclaims released volumes by their policy. One worker takes both from one queue, so that no volume is bound
 * twice: the key of a claim has a namespace, that of a volume has none.
 */
export function createController({ client, clock, informers, events, log, activities, metrics }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.of(PERSISTENT_VOLUMES)
  const classes = informers.of(STORAGE_CLASSES)
  const pods = informers.of(PODS)
  const enqueue = (object: PersistentVolumeClaim | PersistentVolume) => queue.add(objectKey(object))
  const deps: BinderDeps = { client, events: events(NAME), claims, volumes, classes, pods, enqueue }

  const unboundClaims = () => {
    for (const claim of claims.list()) if (claim.status?.phase !== 'Bound') enqueue(claim)
  }
  const volumeChanged = (volume: PersistentVolume) => {
    enqueue(volume)
    const ref = volume.spec?.claimRef
    if (ref) queue.add(`${ref.namespace}/${ref.name}`)
    else unboundClaims()
  }
  volumes.addHandler({
    added: volumeChanged,
    updated(volume, old) {
      volumeChanged(volume)
      const ref = old.spec?.claimRef
      if (ref && ref.uid !== volume.spec?.claimRef?.uid) queue.add(`${ref.namespace}/${ref.name}`)
    },
    deleted: volumeChanged,
  })
  claims.addHandler({
    added: enqueue,
    updated: enqueue,
    deleted({ spec }) {
      if (spec?.volumeName) queue.add(spec.volumeName)
    },
  })
  const recyclerChanged = (pod: Pod) => {
    const volume = wipedBy(pod)
    if (volume !== undefined) queue.add(volume)
  }
  pods.addHandler({ updated: recyclerChanged, deleted: recyclerChanged })
  classes.addHandler({ added: unboundClaims, updated: unboundClaims })

  const reconcile = async (key: string) => {
    const claim = claims.get(key)
    if (claim !== undefined) return reconcileClaim(deps, claim)
    const volume = volumes.get(key)
    return volume === undefined ? undefined : reconcileVolume(deps, volume)
  }
  metrics.read(NAME, () => volumeFamilies(volumes.list(), claims.list()))
  return queueController({ name: NAME, queue, copies: [claims, volumes, classes, pods], reconcile, log, activities })
}
