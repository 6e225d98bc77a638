import path from 'node:path'
import { namesIn } from '../../base/names-in.ts'
import type { FlexVolume } from '../../sdk/flex-volume/flex-volume.ts'

/** A volume of a driver by its name alone: all that folders say. */
export type FlexName = Pick<FlexVolume, 'driver' | 'name'>

const folderOf = (driver: string) => driver.replace('/', '~')
const devicesFolder = (root: string) => path.join(root, 'plugins', 'kubernetes.io', 'flexvolume')

/** Where the kubelet mounts a volume for a pod. */
export const flexMountPath = (root: string, podUid: string, { driver, name }: FlexName): string =>
  path.join(root, 'pods', podUid, 'volumes', folderOf(driver), name)

/** Where a device is mounted for all pods of the node. */
export const flexDevicePath = (root: string, { driver, name }: FlexName): string => path.join(devicesFolder(root), driver, 'mounts', name)

/** The volumes of a pod that have a folder, mounted or not. Folders of Kubernetes' own plugins begin with `kubernetes.io`. */
export async function flexVolumesOf(root: string, podUid: string): Promise<readonly FlexName[]> {
  const at = path.join(root, 'pods', podUid, 'volumes')
  const folders = (await namesIn(at)).filter((folder) => !folder.startsWith('kubernetes.io~'))
  const found = await Promise.all(
    folders.map(async (folder) => ({ driver: folder.replace('~', '/'), names: await namesIn(path.join(at, folder)) })),
  )
  return found.flatMap(({ driver, names }) => names.map((name) => ({ driver, name })))
}

/** The devices that have a folder, mounted or not. */
export async function flexDevices(root: string): Promise<readonly FlexName[]> {
  const top = devicesFolder(root)
  const vendors = await namesIn(top)
  // A driver's name may have no vendor.
  const drivers = (
    await Promise.all(vendors.map(async (one) => [one, ...(await namesIn(path.join(top, one))).map((two) => `${one}/${two}`)]))
  ).flat()
  const found = await Promise.all(drivers.map(async (driver) => ({ driver, names: await namesIn(path.join(top, driver, 'mounts')) })))
  return found.flatMap(({ driver, names }) => names.map((name) => ({ driver, name })))
}
