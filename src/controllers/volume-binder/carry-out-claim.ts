import { BEFORE_GROWTH, STORAGE_PROVISIONER } from '../../resources/core/claim-annotations.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import { targetOf, updateObject } from '../frame/objects.ts'
import { setPhase } from './carry-out-volume.ts'
import type { BinderClient } from './deps.ts'
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, type ClaimPlan } from './plan.ts'

export async function carryOutClaim(claim: PersistentVolumeClaim, plan: ClaimPlan, deps: BinderClient): Promise<void> {
  const { client, events } = deps
  switch (plan.kind) {
    case 'keep':
      return
    case 'report':
      return events.about(claim, plan.event)
    case 'ask':
      return askProvisioner(claim, plan, deps)
    case 'lost': {
      const status = { phase: 'Lost', accessModes: null, capacity: null, currentVolumeAttributesClassName: null }
      await client.patch({ ...targetOf(PERSISTENT_VOLUME_CLAIMS, claim), subresource: 'status' }, 'merge', { status })
      return events.warning(claim, plan.reason, plan.message)
    }
    case 'bind':
      await bindVolume(claim, plan.volume, deps)
      return bindClaim(claim, plan.volume, deps)
  }
}

/** Names the provisioner in the claim: it creates the volume. */
async function askProvisioner(
  claim: PersistentVolumeClaim,
  plan: ClaimPlan & { kind: 'ask' },
  { client, events }: BinderClient,
): Promise<void> {
  const { provisioner, failure } = plan
  const annotations = { [STORAGE_PROVISIONER]: provisioner, 'volume.beta.kubernetes.io/storage-provisioner': provisioner }
  if (claim.metadata.annotations?.[STORAGE_PROVISIONER] !== provisioner)
    await client.patch(targetOf(PERSISTENT_VOLUME_CLAIMS, claim), 'merge', { metadata: { annotations } })
  if (failure !== undefined) return events.warning(claim, 'ProvisioningFailed', failure)
  events.normal(
    claim,
    'ExternalProvisioning',
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  )
}

/** Binding begins at the volume: it names the claim before the claim names it. */
async function bindVolume(claim: PersistentVolumeClaim, volume: PersistentVolume, { client }: BinderClient): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const { metadata, spec } = volume
  if (spec?.claimRef?.uid === uid) return setPhase(volume, 'Bound', client)
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion }
  const annotations = { ...metadata.annotations, ...(spec?.claimRef ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }) }
  const bound = { ...volume, metadata: { ...metadata, annotations }, spec: { ...spec, claimRef } }
  await setPhase(await updateObject(client, PERSISTENT_VOLUMES, bound), 'Bound', client)
}

async function bindClaim(claim: PersistentVolumeClaim, { metadata, spec }: PersistentVolume, { client }: BinderClient): Promise<void> {
  const { resourceVersion = '' } = claim.metadata
  const target = targetOf(PERSISTENT_VOLUME_CLAIMS, claim)
  const annotations = { [BIND_COMPLETED]: 'yes', ...(claim.spec?.volumeName ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }) }
  await client.patch(target, 'merge', { metadata: { annotations, resourceVersion }, spec: { volumeName: metadata.name ?? '' } })
  // A Bound claim may have less than its volume: its file system has not grown yet.
  const storage = metadata.annotations?.[BEFORE_GROWTH]
  const capacity = storage === undefined ? { ...spec?.capacity } : { storage }
  const attributes = spec?.volumeAttributesClassName
  const status = {
    phase: 'Bound',
    accessModes: [...(spec?.accessModes ?? [])],
    ...(claim.status?.phase !== 'Bound' && { capacity }),
    ...(claim.status?.phase === 'Pending' && attributes && { currentVolumeAttributesClassName: attributes }),
  }
  await client.patch({ ...target, subresource: 'status' }, 'merge', { status })
}
