import { CSI_NODE, NODE_CAPABILITY, NodeGetVolumeStatsRequest, USAGE_UNIT } from '../../sdk/csi/node-service.ts'
import type { VolumeUse } from '../types/volume-use.ts'
import type { CsiVolume } from './csi-volume.ts'
import type { MountDeps } from './mount-volume.ts'
import { volumePaths } from './volume-paths.ts'

/** A volume that is published to a pod. */
export interface StatsRequest {
  readonly podUid: string
  readonly volume: CsiVolume
}

/** What the driver says of a volume; undefined: it does not measure volumes. Rejects with the driver's error. */
export async function volumeStats({ podUid, volume }: StatsRequest, deps: MountDeps): Promise<Omit<VolumeUse, 'atMs'> | undefined> {
  const driver = deps.drivers.get(volume.driver)
  if (!(await driver.capabilities()).has(NODE_CAPABILITY.getVolumeStats)) return undefined
  const { published, staged } = volumePaths(podUid, volume, deps.folders)
  const stagingTargetPath = volume.inline ? '' : staged
  const request = NodeGetVolumeStatsRequest.of({ volumeId: volume.handle, volumePath: published, stagingTargetPath })
  const { usage } = await driver.call(CSI_NODE.stats, request)
  const amount = (unit: number) => usage.find((one) => one.unit === unit) ?? { total: 0, available: 0, used: 0 }
  const [bytes, inodes] = [amount(USAGE_UNIT.bytes), amount(USAGE_UNIT.inodes)]
  return {
    capacityBytes: bytes.total,
    availableBytes: bytes.available,
    usedBytes: bytes.used,
    inodes: inodes.total,
    inodesFree: inodes.available,
    inodesUsed: inodes.used,
  }
}
