import { ignoring } from '../../machinery/ignoring.ts'
import { PERSISTENT_VOLUMES, PODS } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumePhase } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createObject, targetOf, updateObject } from '../frame/objects.ts'
import type { BinderClient } from './deps.ts'
import { RECYCLERS, type RecyclingPlan, recyclerOf } from './recycling.ts'
import { IN_TREE, type Keeper, MIGRATED_TO, unbound, type VolumePlan } from './volume-plan.ts'

export async function carryOutVolume(
  volume: PersistentVolume,
  plan: Exclude<VolumePlan, { kind: 'recycle' }>,
  { client, events }: BinderClient,
): Promise<void> {
  const target = targetOf(PERSISTENT_VOLUMES, volume)
  switch (plan.kind) {
    case 'keep':
      return
    case 'phase':
      return setPhase(volume, plan.phase, client)
    case 'unbind':
      return setPhase(await updateObject(client, PERSISTENT_VOLUMES, unbound(volume)), 'Available', client)
    case 'fail':
      await setPhase(volume, 'Failed', client, plan.message)
      return events.warning(volume, plan.reason, plan.message)
    case 'ask claim': {
      if (!plan.mismatch) return
      const [claimName, volumeName] = [plan.claim.metadata.name, volume.metadata.name]
      const to = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claimName}" due to incompatible volumeMode.`
      events.warning(volume, 'VolumeMismatch', to)
      const from = `Cannot bind PersistentVolume "${volumeName}" to requested PersistentVolumeClaim due to incompatible volumeMode.`
      return events.warning(plan.claim, 'VolumeMismatch', from)
    }
    case 'delete': {
      const { finalizers = [], deletionTimestamp } = volume.metadata
      if (finalizers.includes(IN_TREE))
        await client.patch(target, 'merge', { metadata: { finalizers: finalizers.filter((f) => f !== IN_TREE) } })
      if (deletionTimestamp === undefined) await client.delete(target).catch(ignoring('NotFound'))
    }
  }
}

/** Has a pod wipe a released volume, and makes it available then. */
export async function carryOutRecycling(volume: PersistentVolume, plan: RecyclingPlan, { client, events }: BinderClient): Promise<void> {
  switch (plan.kind) {
    case 'wait':
      return
    case 'in use':
      return events.normal(volume, 'VolumeFailedRecycle', plan.message)
    case 'create':
      await createObject(client, PODS, plan.pod).catch(ignoring('AlreadyExists'))
      return
    case 'done':
    case 'failed':
      await client.delete({ ...PODS, namespace: RECYCLERS, name: recyclerOf(volume) }).catch(ignoring('NotFound'))
      if (plan.kind === 'failed') {
        await setPhase(volume, 'Failed', client, plan.message)
        return events.warning(volume, 'VolumeFailedRecycle', plan.message)
      }
      events.normal(volume, 'VolumeRecycled', 'Volume recycled')
      await setPhase(await updateObject(client, PERSISTENT_VOLUMES, unbound(volume)), 'Available', client)
  }
}

export async function setKeeper(volume: PersistentVolume, { migratedTo, finalizers }: Keeper, client: Client): Promise<void> {
  const { resourceVersion } = volume.metadata
  const metadata = { ...(resourceVersion !== undefined && { resourceVersion }), finalizers, annotations: { [MIGRATED_TO]: migratedTo } }
  await client.patch(targetOf(PERSISTENT_VOLUMES, volume), 'merge', { metadata }).catch(ignoring('NotFound'))
}

export async function setPhase(
  volume: PersistentVolume,
  phase: PersistentVolumePhase,
  client: Client,
  message: string | null = null,
): Promise<void> {
  if (volume.status?.phase === phase) return
  const target = { ...targetOf(PERSISTENT_VOLUMES, volume), subresource: 'status' }
  await client.patch(target, 'merge', { status: { phase, message } }).catch(ignoring('NotFound'))
}
