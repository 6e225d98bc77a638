import { namesIn } from '../../base/names-in.ts'
import { CSI_NODE, NODE_CAPABILITY } from '../../sdk/csi/node-service.ts'
import type { AgentView } from '../types/agent-part.ts'
import type { VolumeUse } from '../types/volume-use.ts'
import { ReconciledVolumes, type ReconciledVolumesDeps, type VolumeName } from '../volumes/reconciled-volumes.ts'
import { podDevicesFolder } from './block-folders.ts'
import { podVolumesFolder } from './csi-folders.ts'
import { attachedName } from './csi-volume.ts'
import { type ExpandRequest, expandVolume } from './expand-volume.ts'
import { type MappedVolume, mapVolume } from './map-volume.ts'
import { type MountDeps, type MountRequest, mountVolume } from './mount-volume.ts'
import { type MountedVolume, publishedTo, stagedVolumes } from './mounted.ts'
import type { VolumeData } from './volume-data.ts'
import { type StatsRequest, volumeStats } from './volume-stats.ts'

export type CsiVolumesDeps = MountDeps & ReconciledVolumesDeps

/** The volumes of CSI drivers on a node: a volume is unpublished from a pod that was released, and unstaged when no pod has it. */
export class CsiVolumes extends ReconciledVolumes<MountedVolume> {
  readonly #deps: CsiVolumesDeps

  constructor(deps: CsiVolumesDeps) {
    super('csi-volumes', deps)
    this.#deps = deps
  }

  /** Resolves with the volume's path for the pod. Rejects with `MountError`. */
  mount(request: MountRequest): Promise<string> {
    const { driver, handle, inline } = request.volume
    return this.alone({ driver, name: handle }, async () => {
      if (!inline) this.use(attachedName(driver, handle))
      return mountVolume(request, this.#deps)
    })
  }

  /** The same for a volume that the pod uses as a device. Rejects with `MountError`. */
  map(request: MountRequest): Promise<MappedVolume> {
    const { driver, handle } = request.volume
    return this.alone({ driver, name: handle }, () => {
      this.use(attachedName(driver, handle))
      return mapVolume(request, this.#deps)
    })
  }

  /** Rejects with the driver's error. */
  expand(request: ExpandRequest): Promise<void> {
    const { driver, handle } = request.volume
    return this.alone({ driver, name: handle }, () => expandVolume(request, this.#deps))
  }

  /** What the driver says of a volume; undefined: it does not measure volumes. Rejects with the driver's error. */
  stats(request: StatsRequest): Promise<Omit<VolumeUse, 'atMs'> | undefined> {
    return volumeStats(request, this.#deps)
  }

  async holds(podUid: string): Promise<boolean> {
    const { folders } = this.#deps
    const names = await Promise.all([podVolumesFolder, podDevicesFolder].map((folderOf) => namesIn(folderOf(folders, podUid))))
    return names.flat().length > 0
  }

  /** Until the signal is aborted. */
  async run(_agent: AgentView, signal: AbortSignal): Promise<void> {
    await this.#recall().catch((error) => this.#deps.log.warn('the volumes of CSI drivers that are mounted could not be read', { error }))
    await this.unmountReleased(signal)
  }

  /** What an agent before this one has mounted. */
  async #recall(): Promise<void> {
    const { folders } = this.#deps
    for (const uid of await this.podUids())
      for (const { data } of await publishedTo(folders, uid)) if (data.volumeLifecycleMode === 'Persistent') this.use(statusName(data))
    for (const { data } of await stagedVolumes(folders)) {
      this.use(statusName(data))
      this.review(volumeName(data))
    }
  }

  protected podFolders(): Promise<readonly string[]> {
    return namesIn(this.#deps.folders.pods)
  }

  protected mountedFor(podUid: string): Promise<readonly MountedVolume[]> {
    return publishedTo(this.#deps.folders, podUid)
  }

  protected nameOf({ data }: MountedVolume): VolumeName {
    return volumeName(data)
  }

  protected async unmount(_podUid: string, { path: targetPath, data, release, remove }: MountedVolume): Promise<void> {
    const { drivers, mounts } = this.#deps
    await release(async (at) => {
      for (const point of await mounts.below(at)) await mounts.unmount(point)
    })
    await drivers.get(data.driverName).call(CSI_NODE.unpublish, { volumeId: data.volumeHandle, targetPath })
    await remove()
  }

  protected async unmountDevice({ driver: driverName, name: volumeId }: VolumeName): Promise<void> {
    const { drivers, folders } = this.#deps
    const isOf = ({ data }: MountedVolume) => data.driverName === driverName && data.volumeHandle === volumeId
    for (const { path: stagingTargetPath, remove } of (await stagedVolumes(folders)).filter(isOf)) {
      const driver = drivers.get(driverName)
      if ((await driver.capabilities()).has(NODE_CAPABILITY.stageUnstageVolume))
        await driver.call(CSI_NODE.unstage, { volumeId, stagingTargetPath })
      await remove()
    }
    this.unuse(attachedName(driverName, volumeId))
  }
}

const volumeName = ({ driverName, volumeHandle }: VolumeData): VolumeName => ({ driver: driverName, name: volumeHandle })
const statusName = ({ driverName, volumeHandle }: VolumeData) => attachedName(driverName, volumeHandle)
