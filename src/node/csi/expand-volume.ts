import { capabilityOf } from '../../sdk/csi/capability-of.ts'
import { CSI_NODE, NODE_CAPABILITY, NodeExpandVolumeRequest } from '../../sdk/csi/node-service.ts'
import type { CsiVolume } from './csi-volume.ts'
import type { MountDeps } from './mount-volume.ts'
import { readSecret } from './read-objects.ts'
import { volumePaths } from './volume-paths.ts'

/** A volume that has grown, mounted for a pod. */
export interface ExpandRequest {
  readonly podUid: string
  readonly volume: CsiVolume
  readonly bytes: number
}

/** Lets the driver grow what is on the volume; one that cannot do that has nothing to do. Rejects with the driver's error. */
export async function expandVolume({ podUid, volume, bytes }: ExpandRequest, deps: MountDeps): Promise<void> {
  const driver = deps.drivers.get(volume.driver)
  const can = await driver.capabilities()
  if (!can.has(NODE_CAPABILITY.expandVolume)) return
  const stages = can.has(NODE_CAPABILITY.stageUnstageVolume)
  const { published, staged } = volumePaths(podUid, volume, deps.folders)
  await driver.call(
    CSI_NODE.expand,
    NodeExpandVolumeRequest.of({
      volumeId: volume.handle,
      volumePath: published,
      capacityRange: { requiredBytes: bytes, limitBytes: 0 },
      stagingTargetPath: stages ? staged : '',
      volumeCapability: capabilityOf(volume, can.has(NODE_CAPABILITY.singleNodeMultiWriter)),
      secrets: await readSecret(deps.client, volume.secrets.expand),
    }),
  )
}
