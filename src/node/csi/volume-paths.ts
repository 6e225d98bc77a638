import { blockFolders } from './block-folders.ts'
import { type CsiFolders, podVolumeFolder, stagedFolder, stagingPathIn, targetIn } from './csi-folders.ts'
import type { CsiVolume } from './csi-volume.ts'

/** Where a volume is for a pod, and for the whole node. */
export interface VolumePaths {
  readonly published: string
  readonly staged: string
}

export function volumePaths(podUid: string, volume: CsiVolume, folders: CsiFolders): VolumePaths {
  if (!volume.block)
    return { published: targetIn(podVolumeFolder(folders, podUid, volume.name)), staged: stagingPathIn(stagedFolder(folders, volume)) }
  const { publish, staging } = blockFolders(folders, volume.name)
  return { published: publish(podUid), staged: staging }
}
