import type { KubeObject } from '../../machinery/object.ts'
import { BEFORE_GROWTH, STORAGE_PROVISIONER } from '../../resources/core/claim-annotations.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import type { BinderHands } from './binder-hands.ts'
import { setPhase } from './carry-out-volume.ts'
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, type ClaimPlan } from './plan.ts'

export async function carryOutClaim(claim: KubeObject, plan: ClaimPlan, hands: BinderHands): Promise<void> {
  const { client, events } = hands
  const { namespace = '', name = '' } = claim.metadata
  const target = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name }
  const say = (type: 'Normal' | 'Warning', reason: string, message: string) =>
    events.record({ regarding: referenceTo(claim), type, reason, message })
  switch (plan.kind) {
    case 'keep':
      return
    case 'tell':
      return say(plan.type, plan.reason, plan.message)
    case 'ask': {
      const { provisioner } = plan
      const annotations = { [STORAGE_PROVISIONER]: provisioner, 'volume.beta.kubernetes.io/storage-provisioner': provisioner }
      if (claim.metadata.annotations?.[STORAGE_PROVISIONER] !== provisioner)
        await client.patch(target, 'merge', { metadata: { annotations } })
      return say(
        'Normal',
        'ExternalProvisioning',
        `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
      )
    }
    case 'lost': {
      const status = { phase: 'Lost', accessModes: null, capacity: null, currentVolumeAttributesClassName: null }
      await client.patch({ ...target, subresource: 'status' }, 'merge', { status })
      return say('Warning', plan.reason, plan.message)
    }
    case 'bind':
      return bind(claim, plan.volume, hands)
  }
}

/** First the volume says whose it is, then the claim says which it has. */
async function bind(claim: KubeObject, volume: KubeObject, { client }: BinderHands): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const volumeName = volume.metadata.name ?? ''
  if (volume.spec?.claimRef?.uid !== uid) {
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion }
    const annotations = { ...volume.metadata.annotations, ...(volume.spec?.claimRef ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }) }
    const wanted = { ...volume, metadata: { ...volume.metadata, annotations }, spec: { ...volume.spec, claimRef } }
    await setPhase(await client.update({ ...PERSISTENT_VOLUMES, name: volumeName }, wanted), 'Bound', client)
  } else await setPhase(volume, 'Bound', client)
  const target = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name }
  const annotations = { [BIND_COMPLETED]: 'yes', ...(claim.spec?.volumeName ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }) }
  await client.patch(target, 'merge', { metadata: { annotations, resourceVersion }, spec: { volumeName } })
  // A claim that is Bound already may have less than its volume: its file system has not grown yet.
  const storage = volume.metadata.annotations?.[BEFORE_GROWTH]
  const capacity = storage === undefined ? { ...volume.spec?.capacity } : { storage }
  const attributes: string | undefined = volume.spec?.volumeAttributesClassName
  const status = {
    phase: 'Bound',
    accessModes: volume.spec?.accessModes ?? [],
    ...(claim.status?.phase !== 'Bound' && { capacity }),
    ...(claim.status?.phase === 'Pending' && attributes && { currentVolumeAttributesClassName: attributes }),
  }
  await client.patch({ ...target, subresource: 'status' }, 'merge', { status })
}
