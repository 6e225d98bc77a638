import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import { PERSISTENT_VOLUMES, PODS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import type { BinderHands } from './binder-hands.ts'
import { RECYCLERS, type RecyclingPlan, recyclerOf } from './recycling.ts'
import { IN_TREE, type Keeper, MIGRATED_TO, unbound, type VolumePlan } from './volume-plan.ts'

export async function carryOutVolume(
  volume: KubeObject,
  plan: Exclude<VolumePlan, { kind: 'recycle' }>,
  { client, events }: BinderHands,
): Promise<void> {
  const target = { ...PERSISTENT_VOLUMES, name: volume.metadata.name ?? '' }
  const say = (about: KubeObject, reason: string, message: string) =>
    events.record({ regarding: referenceTo(about), type: 'Warning', reason, message })
  switch (plan.kind) {
    case 'keep':
      return
    case 'phase':
      return setPhase(volume, plan.phase, client)
    case 'unbind':
      return setPhase(await client.update(target, unbound(volume)), 'Available', client)
    case 'fail':
      await setPhase(volume, 'Failed', client, plan.message)
      return say(volume, plan.reason, plan.message)
    case 'ask claim': {
      if (!plan.mismatch) return
      const [claimName, volumeName] = [plan.claim.metadata.name, volume.metadata.name]
      const to = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claimName}" due to incompatible volumeMode.`
      say(volume, 'VolumeMismatch', to)
      const from = `Cannot bind PersistentVolume "${volumeName}" to requested PersistentVolumeClaim due to incompatible volumeMode.`
      return say(plan.claim, 'VolumeMismatch', from)
    }
    case 'delete': {
      const { finalizers = [], deletionTimestamp } = volume.metadata
      if (finalizers.includes(IN_TREE))
        await client.patch(target, 'merge', { metadata: { finalizers: finalizers.filter((f) => f !== IN_TREE) } })
      if (deletionTimestamp === undefined) await client.delete(target).catch(unlessGone)
    }
  }
}

/** Lets a pod empty a volume, and everybody have it then. */
export async function carryOutRecycling(volume: KubeObject, plan: RecyclingPlan, { client, events }: BinderHands): Promise<void> {
  const recyclers = { ...PODS, namespace: RECYCLERS }
  const say = (type: 'Normal' | 'Warning', reason: string, message: string) =>
    events.record({ regarding: referenceTo(volume), type, reason, message })
  switch (plan.kind) {
    case 'wait':
      return
    case 'in use':
      return say('Normal', 'VolumeFailedRecycle', plan.message)
    case 'create':
      await client.create(recyclers, plan.pod).catch((error) => {
        if (!isStatus(error, 'AlreadyExists')) throw error
      })
      return
    case 'done':
    case 'failed':
      await client.delete({ ...recyclers, name: recyclerOf(volume) }).catch(unlessGone)
      if (plan.kind === 'failed') {
        await setPhase(volume, 'Failed', client, plan.message)
        return say('Warning', 'VolumeFailedRecycle', plan.message)
      }
      say('Normal', 'VolumeRecycled', 'Volume recycled')
      await setPhase(await client.update({ ...PERSISTENT_VOLUMES, name: volume.metadata.name ?? '' }, unbound(volume)), 'Available', client)
  }
}

/** Writes who sees to the volume. */
export async function setKeeper(volume: KubeObject, { migratedTo, finalizers }: Keeper, client: Client): Promise<void> {
  const { name = '', resourceVersion } = volume.metadata
  const metadata = { ...(resourceVersion !== undefined && { resourceVersion }), finalizers, annotations: { [MIGRATED_TO]: migratedTo } }
  await client.patch({ ...PERSISTENT_VOLUMES, name }, 'merge', { metadata }).catch(unlessGone)
}

export async function setPhase(volume: KubeObject, phase: string, client: Client, message: string | null = null): Promise<void> {
  if (volume.status?.phase === phase) return
  const status = { phase, message }
  await client
    .patch({ ...PERSISTENT_VOLUMES, name: volume.metadata.name ?? '', subresource: 'status' }, 'merge', { status })
    .catch(unlessGone)
}

function unlessGone(error: unknown): void {
  if (!isStatus(error, 'NotFound')) throw error
}
