import { messageOf } from '../../../base/message-of.ts'
import { tryParseQuantity } from '../../../machinery/quantity.ts'
import { awaitsNode, grownStatus } from '../../../resources/core/volumes/claim-growth.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../../resources/types/core.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { type RecordedEvent, referenceTo } from '../../../sdk/controller/event-recorder.ts'
import type { CsiVolume } from '../../csi/csi-volume.ts'
import type { CsiVolumes } from '../../csi/csi-volumes.ts'
import type { Pod } from '../../types/pod.ts'
import { growing } from '../../volumes/claim-growth.ts'

export interface GrowClaimDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  readonly nodeName: string
  readonly csi: Pick<CsiVolumes, 'expand'>
  readonly record: (event: RecordedEvent) => void
}

/** A claim whose volume is mounted for a pod. */
export interface MountedClaim {
  readonly pod: Pod
  readonly claim: PersistentVolumeClaim
  readonly volume: PersistentVolume
  readonly csi: CsiVolume
}

/**
 * Grows the file system of a volume that has grown: the kubelet's part of volume expansion. What goes wrong is an event, and is tried
 * again.
 */
export async function growClaim({ pod, claim, volume, csi }: MountedClaim, deps: GrowClaimDeps): Promise<void> {
  if (!awaitsNode(claim)) return
  const { client, record, nodeName } = deps
  const { namespace = '', name = '' } = claim.metadata
  const target = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name, subresource: 'status' }
  const storage = volume.spec?.capacity?.storage
  try {
    const begun = await client.update(target, { ...claim, status: growing(claim) })
    const bytes = tryParseQuantity(String(storage ?? ''))?.value() ?? 0
    await deps.csi.expand({ podUid: pod.metadata.uid ?? '', volume: csi, bytes })
    await client.update(target, { ...begun, status: grownStatus(begun.status, storage) })
  } catch (error) {
    const message = `MountVolume.NodeExpandVolume failed for volume "${csi.name}" : ${messageOf(error)}`
    record({ regarding: referenceTo(pod), type: 'Warning', reason: 'VolumeResizeFailed', message })
    return
  }
  const message = `MountVolume.NodeExpandVolume succeeded for volume "${csi.name}" ${nodeName}`
  for (const about of [pod, claim]) record({ regarding: referenceTo(about), type: 'Normal', reason: 'FileSystemResizeSuccessful', message })
}
