import { stat } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { quiet } from '../../base/quiet.ts'
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts'
import { EvictionManager } from '../eviction/eviction-manager.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { ImageGarbage } from './images/image-garbage.ts'
import type { NodeFolders } from './pod-folders.ts'
import { diskSpace } from './usage/disk-space.ts'
import { MachineMeter } from './usage/machine-meter.ts'
import { MeasuredUsage } from './usage/measured-usage.ts'
import { PodFileSizes } from './usage/pod-file-sizes.ts'

export interface NodeSpaceConfig {
  readonly folders: NodeFolders
  readonly kubelet: Pick<KubeletConfiguration, 'eviction' | 'imageLimits' | 'volumeStatsMs'>
  readonly memoryAllocatableBytes: number
}

export interface NodeSpaceDeps {
  readonly runtime: Runtime
  readonly clock: Clock
  readonly log: Logger
}

/** What keeps memory, disks and processes of the machine from running out. */
export interface NodeSpace {
  readonly eviction: EvictionManager
  readonly images: ImageGarbage
  readonly meter: MachineMeter
}

export async function openNodeSpace(
  { folders, kubelet, memoryAllocatableBytes }: NodeSpaceConfig,
  { runtime, clock, log }: NodeSpaceDeps,
  signal: AbortSignal,
): Promise<NodeSpace> {
  const named = (await runtime.imageFileSystem?.(signal))?.folder
  const [own, theirs] = await Promise.all([deviceOf(folders.root), named && deviceOf(named)])
  const imageFolder = named === undefined || theirs === undefined ? folders.root : named
  const separateImages = imageFolder === named && own !== theirs
  const files = new PodFileSizes({ folders, filesMs: kubelet.volumeStatsMs, clock })
  const usage = new MeasuredUsage({
    runtime,
    folders,
    files,
    imageFolder,
    separateImages,
    memoryAllocatableBytes,
  })
  return {
    eviction: new EvictionManager(kubelet.eviction, { clock, usage }),
    meter: new MachineMeter({ runtime, files, folder: folders.root }),
    images: new ImageGarbage({ runtime, disk: () => diskSpace(imageFolder), limits: kubelet.imageLimits, clock, log }),
  }
}

const deviceOf = async (folder: string) => (await quiet(stat(folder), 'the runtime names a folder of its own file systems'))?.dev
