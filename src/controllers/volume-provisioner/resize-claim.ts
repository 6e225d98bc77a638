import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { BEFORE_GROWTH } from '../../resources/core/claim-annotations.ts'
import type { Client } from '../../sdk/client/client.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../sdk/client/refs.ts'
import { type EventRecorder, referenceTo } from '../../sdk/controller/event-recorder.ts'
import { NO_NODE, planResize, type ResizePlan } from './plan-resize.ts'

export interface ResizeDeps {
  readonly client: Client
  readonly events: EventRecorder
  readonly nowMs: number
}

/** Makes the volume of a claim larger where the claim asks for it. The file system on it is the node's to enlarge. */
export async function resizeClaim(claim: KubeObject, volume: KubeObject | undefined, deps: ResizeDeps): Promise<void> {
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
  claim: KubeObject,
  volume: KubeObject | undefined,
  plan: Extract<ResizePlan, { kind: 'resize' }>,
  { client, events }: ResizeDeps,
): Promise<void> {
  const { namespace = '', name = '' } = claim.metadata
  const target = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name }
  const say = (reason: string, message: string) => events.record({ regarding: referenceTo(claim), type: 'Normal', reason, message })
  const plain = claim.metadata.annotations?.[NO_NODE] === undefined ? claim : await client.patch(target, 'merge', noNode(null))
  const begun = await client.update({ ...target, subresource: 'status' }, { ...plain, status: plan.begun })
  say('Resizing', `External resizer is resizing volume ${volume?.metadata.name}`)
  const before = volume?.metadata.annotations?.[BEFORE_GROWTH] ?? claim.status?.capacity?.storage
  const annotations = plan.byNode ? { metadata: { annotations: { [BEFORE_GROWTH]: before } } } : {}
  await patchVolume(client, volume, { ...annotations, spec: { capacity: { storage: plan.size } } })
  const marked = plan.byNode ? begun : await client.patch(target, 'merge', noNode('true'))
  await client.update({ ...target, subresource: 'status' }, { ...marked, status: plan.done })
  if (plan.byNode) say('FileSystemResizeRequired', 'Require file system resize of volume on node')
  else say('VolumeResizeSuccessful', 'Resize volume succeeded')
}

const noNode = (value: string | null) => ({ metadata: { annotations: { [NO_NODE]: value } } })

async function patchVolume(client: Client, volume: KubeObject | undefined, patch: JsonObject): Promise<void> {
  await client.patch({ ...PERSISTENT_VOLUMES, name: volume?.metadata.name ?? '' }, 'merge', patch)
}
