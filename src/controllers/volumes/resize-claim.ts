import { messageOf } from '../../base/message-of.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
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
  readonly driver: string
  /**
   * Grows the volume; resolves with whether a kubelet has to grow what is on it. Default: there is only a size, and a file system on it.
   */
  readonly expand?: (volume: PersistentVolume, bytes: number) => Promise<boolean>
}

/** Expands the volume of a claim that requests more. The kubelet expands the file system on it. */
export async function resizeClaim(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined, deps: ResizeDeps): Promise<void> {
  const plan = planResize(claim, volume, deps.nowMs, deps.driver)
  switch (plan.kind) {
    case 'keep':
      return
    case 'forget':
      await patchVolume(deps.client, volume, { metadata: { annotations: { [BEFORE_GROWTH]: null } } })
      return
    case 'resize':
      if (volume !== undefined) await carryOut(claim, volume, plan, deps)
  }
}

async function carryOut(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  plan: Extract<ResizePlan, { kind: 'resize' }>,
  deps: ResizeDeps,
): Promise<void> {
  const { client, events } = deps
  const target = targetOf(PERSISTENT_VOLUME_CLAIMS, claim)
  const status = { ...target, subresource: 'status' }
  const plain =
    claim.metadata.annotations?.[NO_NODE] === undefined ? claim : await client.patch<PersistentVolumeClaim>(target, 'merge', noNode(null))
  const begun = await client.update<PersistentVolumeClaim>(status, { ...plain, status: plan.begun })
  events.normal(claim, 'Resizing', `External resizer is resizing volume ${volume.metadata.name}`)
  const byNode = await expanded(claim, volume, plan.size, deps)
  const before = volume.metadata.annotations?.[BEFORE_GROWTH] ?? claim.status?.capacity?.storage
  const annotations = byNode ? { metadata: { annotations: { [BEFORE_GROWTH]: before } } } : {}
  await patchVolume(client, volume, { ...annotations, spec: { capacity: { storage: plan.size } } })
  const marked = byNode ? begun : await client.patch<PersistentVolumeClaim>(target, 'merge', noNode('true'))
  await client.update<PersistentVolumeClaim>(status, { ...marked, status: byNode ? plan.pending : plan.grown })
  if (byNode) events.normal(claim, 'FileSystemResizeRequired', 'Require file system resize of volume on node')
  else events.normal(claim, 'VolumeResizeSuccessful', 'Resize volume succeeded')
}

async function expanded(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  size: string,
  { events, driver, expand }: ResizeDeps,
): Promise<boolean> {
  if (expand === undefined) return volume.spec?.volumeMode !== 'Block'
  try {
    return await expand(volume, tryParseQuantity(size)?.value() ?? 0)
  } catch (error) {
    const message = `resize volume "${volume.metadata.name}" by resizer "${driver}" failed: ${messageOf(error)}`
    events.warning(claim, 'VolumeResizeFailed', message)
    throw error
  }
}

const noNode = (value: string | null) => ({ metadata: { annotations: { [NO_NODE]: value } } })

async function patchVolume(client: Client, volume: PersistentVolume | undefined, patch: JsonObject): Promise<void> {
  await client.patch({ ...PERSISTENT_VOLUMES, name: volume?.metadata.name ?? '' }, 'merge', patch)
}
