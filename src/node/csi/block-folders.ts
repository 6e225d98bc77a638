import path from 'node:path'
import type { CsiFolders } from './csi-folders.ts'

/** The paths of a volume that pods use as a device, in the kubelet's layout. */
export interface BlockFolders {
  readonly staging: string
  /** What is known of the volume, once it is staged. */
  readonly data: string
  /** Has a file for each pod, on which its device is mounted too. */
  readonly map: string
  /** Everything but the staged and published device. */
  readonly own: string
  publish(podUid: string): string
  /** Leads to what is published; the runtime makes the container's device from it. */
  link(podUid: string): string
}

/** Beside the folders of drivers, none of which can be called so. */
export const blockRoot = ({ staged }: CsiFolders): string => path.join(staged, 'volumeDevices')

/** Has the links of a pod, by the names of persistent volumes. */
export const podDevicesFolder = ({ pods }: CsiFolders, podUid: string): string =>
  path.join(pods, podUid, 'volumeDevices', 'kubernetes.io~csi')

export function blockFolders(folders: CsiFolders, volume: string): BlockFolders {
  const root = blockRoot(folders)
  const own = path.join(root, volume)
  return {
    own,
    staging: path.join(root, 'staging', volume),
    data: path.join(own, 'data'),
    map: path.join(own, 'dev'),
    publish: (podUid) => path.join(root, 'publish', volume, podUid),
    link: (podUid) => path.join(podDevicesFolder(folders, podUid), volume),
  }
}
