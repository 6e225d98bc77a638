import { createHash } from 'node:crypto'
import path from 'node:path'
import type { CsiVolume } from './csi-volume.ts'

/** Where the kubelet has the volumes of CSI drivers; drivers run with the same paths, and may look for them. */
export interface CsiFolders {
  /** Below it a folder for each pod, by its uid. */
  readonly pods: string
  readonly staged: string
}

export const csiFolders = (root: string): CsiFolders => ({
  pods: path.join(root, 'pods'),
  staged: path.join(root, 'plugins', 'kubernetes.io', 'csi'),
})

export const VOLUME_DATA = 'vol_data.json'
/** In the folder of a pod's volumes. */
export const CSI_FOLDER = 'kubernetes.io~csi'

/** The volumes of one pod. */
export const podVolumesFolder = ({ pods }: CsiFolders, podUid: string): string => path.join(pods, podUid, 'volumes', CSI_FOLDER)

/** Has a pod's volume, and what is known of it. */
export const podVolumeFolder = (folders: CsiFolders, podUid: string, name: string): string =>
  path.join(podVolumesFolder(folders, podUid), name)

/** Where a driver publishes the volume to the pod; the driver makes the last folder itself. */
export const targetIn = (volumeFolder: string): string => path.join(volumeFolder, 'mount')

/** Has a staged volume, and what is known of it. */
export const stagedFolder = ({ staged }: CsiFolders, { driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>): string =>
  path.join(staged, driver, createHash('sha256').update(handle).digest('hex'))

/** Where a driver stages the volume for all pods of the node. */
export const stagingPathIn = (folder: string): string => path.join(folder, 'globalmount')
