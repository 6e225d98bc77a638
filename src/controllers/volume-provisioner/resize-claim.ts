import type { JsonObject } from '../../machinery/object.ts'
import { BEFORE_GROWTH } from '../../resources/core/claim-annotations.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { targetOf } from '../frame/objects.ts'
import { NO_NODE, planResize, type ResizePlan } from './plan-resize.ts'

export interface ResizeDeps {
  readonly client: Client
  readonly events: ObjectEvents
  readonly nowMs: number
}

/** Expands the volume of a claim that requests more. The kubelet expands the file system on it. */
export async function resizeClaim(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined, deps: ResizeDeps): Promise<void> {
  const plan = planResize(claim, volume, deps.nowMs)
  switch (plan.kind) {
    case 'keep':
      return
    case 'forget':
      await patchVolume(deps.client, volume, { metadata: { annotations: { [BEFORE_GROWTH]: null } } })
      return
    case 'resize':
      return carryOut(claim, volume, plan, deps)
  }
}

async function carryOut(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  plan: Extract<ResizePlan, { kind: 'resize' }>,
  { client, events }: ResizeDeps,
): Promise<void> {
  const target = targetOf(PERSISTENT_VOLUME_CLAIMS, claim)
  const status = { ...target, subresource: 'status' }
  const plain =
    claim.metadata.annotations?.[NO_NODE] === undefined ? claim : await client.patch<PersistentVolumeClaim>(target, 'merge', noNode(null))
  const begun = await client.update<PersistentVolumeClaim>(status, { ...plain, status: plan.begun })
  events.normal(claim, 'Resizing', `External resizer is resizing volume ${volume?.metadata.name}`)
  const before = volume?.metadata.annotations?.[BEFORE_GROWTH] ?? claim.status?.capacity?.storage
  const annotations = plan.byNode ? { metadata: { annotations: { [BEFORE_GROWTH]: before } } } : {}
  await patchVolume(client, volume, { ...annotations, spec: { capacity: { storage: plan.size } } })
  const marked = plan.byNode ? begun : await client.patch<PersistentVolumeClaim>(target, 'merge', noNode('true'))
  await client.update<PersistentVolumeClaim>(status, { ...marked, status: plan.done })
  if (plan.byNode) events.normal(claim, 'FileSystemResizeRequired', 'Require file system resize of volume on node')
  else events.normal(claim, 'VolumeResizeSuccessful', 'Resize volume succeeded')
}

const noNode = (value: string | null) => ({ metadata: { annotations: { [NO_NODE]: value } } })

async function patchVolume(client: Client, volume: PersistentVolume | undefined, patch: JsonObject): Promise<void> {
  await client.patch({ ...PERSISTENT_VOLUMES, name: volume?.metadata.name ?? '' }, 'merge', patch)
}
