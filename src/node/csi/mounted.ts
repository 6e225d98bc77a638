import { rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from '../../base/has-code.ts'
import { namesIn } from '../../base/names-in.ts'
import { blockFolders, blockRoot, podDevicesFolder } from './block-folders.ts'
import { type CsiFolders, podVolumesFolder, stagingPathIn, targetIn } from './csi-folders.ts'
import { readVolumeData, removeVolumeFolder, type VolumeData } from './volume-data.ts'

/** What a driver has staged for the node, or published to a pod, as the folders say. */
export interface MountedVolume {
  readonly data: VolumeData
  /** As it was sent to the driver. */
  readonly path: string
  /** What this node made beside it; called before the driver takes it away. */
  readonly release: (unmount: Unmount) => Promise<void>
  /** Called after that. */
  readonly remove: () => Promise<void>
}

export type Unmount = (at: string) => Promise<void>

export async function publishedTo(folders: CsiFolders, podUid: string): Promise<readonly MountedVolume[]> {
  return [...(await publishedFolders(folders, podUid)), ...(await publishedDevices(folders, podUid))]
}

async function publishedFolders(folders: CsiFolders, podUid: string): Promise<readonly MountedVolume[]> {
  const at = podVolumesFolder(folders, podUid)
  const found: MountedVolume[] = []
  for (const name of await namesIn(at)) {
    const folder = path.join(at, name)
    const data = await readVolumeData(folder)
    if (data !== undefined) found.push(mountedFolder(folder, targetIn(folder), data))
    // An agent died before it wrote what it was about to mount.
    else await removeVolumeFolder(folder, targetIn(folder))
  }
  return found
}

async function publishedDevices(folders: CsiFolders, podUid: string): Promise<readonly MountedVolume[]> {
  const found: MountedVolume[] = []
  for (const name of await namesIn(podDevicesFolder(folders, podUid))) {
    const { data: dataFolder, map, publish, link } = blockFolders(folders, name)
    const data = await readVolumeData(dataFolder)
    if (data === undefined) continue
    const shown = path.join(map, podUid)
    found.push({
      data,
      path: publish(podUid),
      async release(unmount) {
        await unmount(shown)
        await rm(shown, { force: true })
      },
      async remove() {
        await rm(publish(podUid), { force: true })
        await removeEmpty(path.dirname(publish(podUid)))
        await rm(link(podUid), { force: true })
      },
    })
  }
  return found
}

export async function stagedVolumes(folders: CsiFolders): Promise<readonly MountedVolume[]> {
  const found: MountedVolume[] = []
  for (const driver of await namesIn(folders.staged))
    for (const hash of await namesIn(path.join(folders.staged, driver))) {
      const folder = path.join(folders.staged, driver, hash)
      const data = await readVolumeData(folder)
      if (data !== undefined) found.push(mountedFolder(folder, stagingPathIn(folder), data))
    }
  for (const name of await namesIn(blockRoot(folders))) {
    const { data: dataFolder, staging, map, own } = blockFolders(folders, name)
    const data = await readVolumeData(dataFolder)
    if (data === undefined) continue
    const remove = async () => {
      await rm(staging, { force: true, recursive: true })
      await removeEmpty(map)
      await rm(dataFolder, { force: true, recursive: true })
      await removeEmpty(own)
    }
    found.push({ data, path: staging, release: async () => {}, remove })
  }
  return found
}

const mountedFolder = (folder: string, at: string, data: VolumeData): MountedVolume => ({
  data,
  path: at,
  release: async () => {},
  remove: () => removeVolumeFolder(folder, at),
})

async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error) => {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY')) throw error
  })
}
