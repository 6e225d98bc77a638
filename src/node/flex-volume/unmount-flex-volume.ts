import { rmdir } from 'node:fs/promises'
import { hasCode } from '../../base/has-code.ts'
import { namesIn } from '../../base/names-in.ts'
import { type FlexName, flexDevicePath, flexMountPath } from './flex-folders.ts'
import { type DefaultMounts, type FlexMountDeps, foundDriver } from './mount-flex-volume.ts'

interface FlexUnmountDeps extends Pick<FlexMountDeps, 'root' | 'drivers'> {
  readonly mounts: Pick<DefaultMounts, 'isMounted' | 'unmount'>
}

/** Takes a pod's volume away; what is still mounted after that makes it reject. */
export async function unmountFlexVolume(podUid: string, volume: FlexName, deps: FlexUnmountDeps): Promise<void> {
  const at = flexMountPath(deps.root, podUid, volume)
  try {
    const driver = await foundDriver(volume.driver, deps.drivers)
    const done = await driver.tryCall('unmount', at)
    if (done === undefined) await deps.mounts.unmount(at)
  } catch (error) {
    // Many drivers refuse what was never mounted: an agent that is killed before they mount leaves the folder alone.
    if (!(await isBare(at, deps))) throw error
  }
  await removeMountPoint(at)
}

/** Whether nothing is mounted there, nor put there in another way. */
async function isBare(at: string, { mounts }: FlexUnmountDeps): Promise<boolean> {
  return !(await mounts.isMounted(at)) && (await namesIn(at)).length === 0
}

/** Takes away what was mounted for all pods. */
export async function unmountFlexDevice(volume: FlexName, deps: FlexUnmountDeps): Promise<void> {
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
