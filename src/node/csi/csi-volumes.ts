import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { CSI_NODE, NODE_CAPABILITY } from '../../sdk/csi/node-service.ts'
import { Lanes } from '../plugins/lanes.ts'
import type { AgentView } from '../types/agent-part.ts'
import type { VolumeUse } from '../types/volume-use.ts'
import type { DriverVolumes } from '../volumes/driver-volumes.ts'
import { MOUNT_RETRY } from '../volumes/mount-retry.ts'
import { podDevicesFolder } from './block-folders.ts'
import { podVolumesFolder } from './csi-folders.ts'
import { attachedName } from './csi-volume.ts'
import { type ExpandRequest, expandVolume } from './expand-volume.ts'
import { type MappedVolume, mapVolume } from './map-volume.ts'
import { type MountDeps, type MountRequest, mountVolume } from './mount-volume.ts'
import { type MountedVolume, publishedTo, stagedVolumes } from './mounted.ts'
import { namesIn, type VolumeData } from './volume-data.ts'
import { type StatsRequest, volumeStats } from './volume-stats.ts'

export interface CsiVolumesDeps extends MountDeps {
  readonly clock: Clock
  readonly log: Logger
}

const WORKERS = 4

/**
 * The volumes of CSI drivers on a node. What is mounted is known from the folders alone, so that any later agent can take it away: a
 * volume is unstaged when no pod's folder has it.
 */
export class CsiVolumes implements DriverVolumes {
  readonly #deps: CsiVolumesDeps
  readonly #queue: WorkQueue
  /** A volume is mounted, or unmounted, or neither. */
  readonly #lanes = new Lanes()
  /** Staged or published, as the Node's status names them. */
  readonly #inUse = new Set<string>()
  #released: (podUid: string) => void = () => {}
  #inUseChanged: () => void = () => {}

  constructor(deps: CsiVolumesDeps) {
    this.#deps = deps
    this.#queue = new WorkQueue({ clock: deps.clock, ...MOUNT_RETRY })
  }

  /** The names of the volumes that must not be detached. */
  inUse(): readonly string[] {
    return [...this.#inUse]
  }

  watchInUse(changed: () => void): void {
    this.#inUseChanged = changed
  }

  /** Calls back when a pod that was released has no volumes any more. */
  watchReleases(released: (podUid: string) => void): void {
    this.#released = released
  }

  /** Resolves with the volume's path for the pod. Rejects with `MountError`. */
  mount(request: MountRequest): Promise<string> {
    const { driver, handle, inline } = request.volume
    return this.#lanes.run([keyOf(driver, handle)], async () => {
      if (!inline) this.#use(attachedName(driver, handle))
      return mountVolume(request, this.#deps)
    })
  }

  /** The same for a volume that the pod uses as a device. Rejects with `MountError`. */
  map(request: MountRequest): Promise<MappedVolume> {
    const { driver, handle } = request.volume
    return this.#lanes.run([keyOf(driver, handle)], () => {
      this.#use(attachedName(driver, handle))
      return mapVolume(request, this.#deps)
    })
  }

  /** Rejects with the driver's error. */
  expand(request: ExpandRequest): Promise<void> {
    const { driver, handle } = request.volume
    return this.#lanes.run([keyOf(driver, handle)], () => expandVolume(request, this.#deps))
  }

  /** What the driver says of a volume; undefined: it does not measure volumes. Rejects with the driver's error. */
  stats(request: StatsRequest): Promise<Omit<VolumeUse, 'atMs'> | undefined> {
    return volumeStats(request, this.#deps)
  }

  /** Takes a pod's volumes away, until that worked. */
  release(podUid: string): void {
    this.#queue.add(podKey(podUid))
  }

  async holds(podUid: string): Promise<boolean> {
    const { folders } = this.#deps
    const names = await Promise.all([podVolumesFolder, podDevicesFolder].map((folderOf) => namesIn(folderOf(folders, podUid))))
    return names.flat().length > 0
  }

  /** The pods that have volumes here, whether they exist or not. */
  async podUids(): Promise<readonly string[]> {
    const uids = await namesIn(this.#deps.folders.pods)
    const held = await Promise.all(uids.map((uid) => this.holds(uid)))
    return uids.filter((_, i) => held[i])
  }

  /** Until the signal is aborted. */
  async run(_agent: AgentView, signal: AbortSignal): Promise<void> {
    const { log } = this.#deps
    await this.#recall().catch((error) => log.warn('the volumes of CSI drivers that are mounted could not be read', { error }))
    const reconcile = (key: string) => this.#reconcile(key)
    await runController({ name: 'csi-volumes', queue: this.#queue, workers: WORKERS, reconcile, log }, signal)
  }

  /** What an agent before this one has mounted. */
  async #recall(): Promise<void> {
    const { folders } = this.#deps
    for (const uid of await this.podUids())
      for (const { data } of await publishedTo(folders, uid)) if (data.volumeLifecycleMode === 'Persistent') this.#use(nameOf(data))
    for (const { data } of await stagedVolumes(folders)) {
      this.#use(nameOf(data))
      this.#queue.add(keyOf(data.driverName, data.volumeHandle))
    }
  }

  async #reconcile(key: string): Promise<void> {
    const [kind, first = '', ...rest] = key.split(' ')
    if (kind === 'pod') return this.#unpublishAll(first)
    await this.#lanes.run([key], () => this.#unstage(first, rest.join(' ')))
  }

  async #unpublishAll(podUid: string): Promise<void> {
    const faults: unknown[] = []
    for (const mounted of await publishedTo(this.#deps.folders, podUid)) {
      const { driverName, volumeHandle } = mounted.data
      const key = keyOf(driverName, volumeHandle)
      await this.#lanes.run([key], () => this.#unpublish(mounted)).catch((error) => faults.push(error))
      this.#queue.add(key)
    }
    if (faults.length > 0) throw faults[0]
    this.#released(podUid)
  }

  async #unpublish({ path: targetPath, data, release, remove }: MountedVolume): Promise<void> {
    const { drivers, mounts } = this.#deps
    await release(async (at) => {
      for (const point of await mounts.below(at)) await mounts.unmount(point)
    })
    await drivers.get(data.driverName).call(CSI_NODE.unpublish, { volumeId: data.volumeHandle, targetPath })
    await remove()
  }

  async #unstage(driverName: string, volumeId: string): Promise<void> {
    if (await this.#isPublished(driverName, volumeId)) return
    const { drivers, folders } = this.#deps
    const isOf = ({ data }: MountedVolume) => data.driverName === driverName && data.volumeHandle === volumeId
    for (const { path: stagingTargetPath, remove } of (await stagedVolumes(folders)).filter(isOf)) {
      const driver = drivers.get(driverName)
      if ((await driver.capabilities()).has(NODE_CAPABILITY.stageUnstageVolume))
        await driver.call(CSI_NODE.unstage, { volumeId, stagingTargetPath })
      await remove()
    }
    if (this.#inUse.delete(attachedName(driverName, volumeId))) this.#inUseChanged()
  }

  async #isPublished(driverName: string, volumeHandle: string): Promise<boolean> {
    for (const uid of await this.podUids()) {
      const published = await publishedTo(this.#deps.folders, uid)
      if (published.some(({ data }) => data.driverName === driverName && data.volumeHandle === volumeHandle)) return true
    }
    return false
  }

  #use(name: string): void {
    if (this.#inUse.has(name)) return
    this.#inUse.add(name)
    this.#inUseChanged()
  }
}

const podKey = (uid: string) => `pod ${uid}`
/** A driver's name has no spaces. */
const keyOf = (driver: string, handle: string) => `volume ${driver} ${handle}`
const nameOf = ({ driverName, volumeHandle }: VolumeData) => attachedName(driverName, volumeHandle)
