import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { classNameOf, STORAGE_PROVISIONER } from '../../resources/core/claim-annotations.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { type ClaimPlan, lateDefaultClass, planClaim, volumePhase } from './plan.ts'

const NAME = 'persistentvolume-controller'
/** How often a claim that waits is looked at again. */
const RESYNC_MS = 15_000

/** Brings claims and volumes together. Volumes themselves are made and deleted by provisioners outside. */
export function createVolumeBinder(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.of(PERSISTENT_VOLUMES)
  const classes = informers.of(STORAGE_CLASSES)
  const events = deps.recorder(NAME)
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
  const ofClaim = (claim: KubeObject) => {
    if (claim.spec?.volumeName) queue.add(claim.spec.volumeName)
  }
  claims.addHandler({ added: enqueue, updated: enqueue, deleted: ofClaim })
  volumes.addHandler({ added: volumeChanged, updated: volumeChanged, deleted: volumeChanged })
  classes.addHandler({ added: pending, updated: pending })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const claim = claims.get(key)
    if (claim === undefined) {
      const volume = volumes.get(key)
      if (volume !== undefined) await setVolumePhase(volume)
      return undefined
    }
    const late = lateDefaultClass(claim, classes.list())
    if (late !== undefined) {
      const { namespace = '', name = '' } = claim.metadata
      await client.patch({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name }, 'merge', { spec: { storageClassName: late } })
      return undefined
    }
    const storageClass = classNameOf(claim) === '' ? undefined : classes.get(classNameOf(claim))
    const plan = planClaim({ claim, volumes: volumes.list(), storageClass })
    await carryOut(claim, plan)
    return plan.kind === 'tell' ? { requeueAfterMs: RESYNC_MS } : undefined
  }

  async function carryOut(claim: KubeObject, plan: ClaimPlan): Promise<void> {
    const { namespace = '', name = '' } = claim.metadata
    const target = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name }
    switch (plan.kind) {
      case 'keep':
        return
      case 'tell':
        events.record({ regarding: referenceTo(claim), type: plan.type, reason: plan.reason, message: plan.message })
        return
      case 'ask': {
        const message = `Waiting for a volume to be created either by the external provisioner '${plan.provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
        events.record({ regarding: referenceTo(claim), type: 'Normal', reason: 'ExternalProvisioning', message })
        const annotations = {
          [STORAGE_PROVISIONER]: plan.provisioner,
          'volume.beta.kubernetes.io/storage-provisioner': plan.provisioner,
        }
        if (claim.metadata.annotations?.[STORAGE_PROVISIONER] !== plan.provisioner)
          await client.patch(target, 'merge', { metadata: { annotations } })
        return
      }
      case 'lost':
        if (claim.status?.phase === 'Lost') return
        await client.patch({ ...target, subresource: 'status' }, 'merge', { status: { phase: 'Lost', accessModes: null, capacity: null } })
        events.record({
          regarding: referenceTo(claim),
          type: 'Warning',
          reason: 'ClaimLost',
          message: 'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
        })
        return
      case 'bind':
        return bind(claim, plan.volume)
    }
  }

  /** First the volume says whose it is, then the claim says which it has. */
  async function bind(claim: KubeObject, volume: KubeObject): Promise<void> {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
    const volumeName = volume.metadata.name ?? ''
    if (volume.spec?.claimRef?.uid !== uid) {
      const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion }
      const annotations = {
        ...volume.metadata.annotations,
        ...(volume.spec?.claimRef ? {} : { 'pv.kubernetes.io/bound-by-controller': 'yes' }),
      }
      const wanted = { ...volume, metadata: { ...volume.metadata, annotations }, spec: { ...volume.spec, claimRef } }
      await setVolumePhase(await client.update({ ...PERSISTENT_VOLUMES, name: volumeName }, wanted))
    } else await setVolumePhase(volume)
    const annotations = {
      'pv.kubernetes.io/bind-completed': 'yes',
      ...(claim.spec?.volumeName ? {} : { 'pv.kubernetes.io/bound-by-controller': 'yes' }),
    }
    const target = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name }
    await client.patch(target, 'merge', { metadata: { annotations, resourceVersion }, spec: { volumeName } })
    const status = { phase: 'Bound', accessModes: volume.spec?.accessModes ?? [], capacity: { ...volume.spec?.capacity } }
    await client.patch({ ...target, subresource: 'status' }, 'merge', { status })
  }

  async function setVolumePhase(volume: KubeObject): Promise<void> {
    const phase = volumePhase(volume, (namespace, name) => claims.get(`${namespace}/${name}`))
    if (volume.status?.phase === phase) return
    await client
      .patch({ ...PERSISTENT_VOLUMES, name: volume.metadata.name ?? '', subresource: 'status' }, 'merge', { status: { phase } })
      .catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
  }

  return queueController({ name: NAME, queue, copies: [claims, volumes, classes], reconcile, log })
}
