import { rmdir } from 'node:fs/promises'
import { hasCode } from '../../base/has-code.ts'
import { type FlexName, flexDevicePath, flexMountPath } from './flex-folders.ts'
import { type FlexMountDeps, foundDriver } from './mount-flex-volume.ts'

/** Takes a pod's volume away; what is still mounted after that makes it reject. */
export async function unmountFlexVolume(podUid: string, volume: FlexName, deps: FlexMountDeps): Promise<void> {
  const at = flexMountPath(deps.root, podUid, volume)
  const driver = await foundDriver(volume.driver, deps.drivers)
  const done = await driver.tryCall('unmount', at)
  if (done === undefined) await deps.mounts.unmount(at)
  await removeMountPoint(at)
}

/** Takes away what was mounted for all pods. */
export async function unmountFlexDevice(volume: FlexName, deps: FlexMountDeps): Promise<void> {
  const at = flexDevicePath(deps.root, volume)
  if (await deps.mounts.isMounted(at)) {
    const driver = await foundDriver(volume.driver, deps.drivers)
    const done = await driver.tryCall('unmountdevice', at)
    if (done === undefined) await deps.mounts.unmount(at)
  }
  await removeMountPoint(at)
}

/** A driver may have removed it itself. */
async function removeMountPoint(at: string): Promise<void> {
  await rmdir(at).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
}
