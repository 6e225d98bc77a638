import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { type FlexVolume, flexVolumeName, optionsOf } from '../../sdk/flex-volume/flex-volume.ts'
import { Lanes } from '../plugins/lanes.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import type { DriverVolumes } from '../volumes/driver-volumes.ts'
import { MOUNT_RETRY } from '../volumes/mount-retry.ts'
import { type FlexName, flexDevices, flexVolumesOf } from './flex-folders.ts'
import { type FlexMountDeps, type FlexMountRequest, mountFlexVolume } from './mount-flex-volume.ts'
import { unmountFlexDevice, unmountFlexVolume } from './unmount-flex-volume.ts'

export interface FlexVolumesDeps extends FlexMountDeps {
  readonly clock: Clock
  readonly log: Logger
}

const WORKERS = 4

/**
 * The volumes of FlexVolume drivers on a node. As with CSI, the folders say what is mounted, so that any later agent can take it away: a
 * device is unmounted when no pod's folder has its volume.
 */
export class FlexVolumes implements DriverVolumes, AgentPart {
  readonly #deps: FlexVolumesDeps
  readonly #queue: WorkQueue
  readonly #lanes = new Lanes()
  readonly #inUse = new Set<string>()
  #released: (podUid: string) => void = () => {}
  #inUseChanged: () => void = () => {}

  constructor(deps: FlexVolumesDeps) {
    this.#deps = deps
    this.#queue = new WorkQueue({ clock: deps.clock, ...MOUNT_RETRY })
  }

  inUse(): readonly string[] {
    return [...this.#inUse]
  }

  watchInUse(changed: () => void): void {
    this.#inUseChanged = changed
  }

  watchReleases(released: (podUid: string) => void): void {
    this.#released = released
  }

  /**
   * The name under which the volume has to be attached before it can be mounted; `none`: it need not be; undefined: its driver is not
   * there.
   */
  async attachedAs(volume: FlexVolume): Promise<string | undefined> {
    const driver = await this.#deps.drivers.find(volume.driver)
    if (driver === undefined || !driver.capabilities.attach) return driver && 'none'
    // The answer is not used, here as in the kubelet: some drivers prepare something.
    await driver.tryCall('getvolumename', optionsOf(volume)).catch(() => undefined)
    return flexVolumeName(volume)
  }

  /** Resolves with the volume's path for the pod. Rejects with `MountError`. */
  mount(request: FlexMountRequest): Promise<string> {
    return this.#lanes.run([keyOf(request.volume)], async () => {
      const driver = await this.#deps.drivers.find(request.volume.driver)
      if (driver?.capabilities.attach) this.#use(flexVolumeName(request.volume))
      return mountFlexVolume(request, this.#deps)
    })
  }

  release(podUid: string): void {
    this.#queue.add(`pod ${podUid}`)
  }

  async holds(podUid: string): Promise<boolean> {
    return (await flexVolumesOf(this.#deps.root, podUid)).length > 0
  }

  async podUids(): Promise<readonly string[]> {
    const uids = await readdir(path.join(this.#deps.root, 'pods')).catch(() => [])
    const held = await Promise.all(uids.map((uid) => this.holds(uid)))
    return uids.filter((_, i) => held[i])
  }

  /** Until the signal is aborted. */
  async run(_agent: AgentView, signal: AbortSignal): Promise<void> {
    const { log, root } = this.#deps
    for (const device of await flexDevices(root)) {
      this.#use(flexVolumeName(device))
      this.#queue.add(keyOf(device))
    }
    const reconcile = (key: string) => this.#reconcile(key)
    await runController({ name: 'flex-volumes', queue: this.#queue, workers: WORKERS, reconcile, log }, signal)
  }

  async #reconcile(key: string): Promise<void> {
    const [kind, first = '', name = ''] = key.split(' ')
    if (kind === 'pod') return this.#unmountAll(first)
    await this.#lanes.run([key], () => this.#unmountDevice({ driver: first, name }))
  }

  async #unmountAll(podUid: string): Promise<void> {
    const faults: unknown[] = []
    for (const volume of await flexVolumesOf(this.#deps.root, podUid)) {
      const key = keyOf(volume)
      await this.#lanes.run([key], () => unmountFlexVolume(podUid, volume, this.#deps)).catch((error) => faults.push(error))
      this.#queue.add(key)
    }
    if (faults.length > 0) throw faults[0]
    this.#released(podUid)
  }

  async #unmountDevice(volume: FlexName): Promise<void> {
    const { root } = this.#deps
    for (const uid of await this.podUids()) if ((await flexVolumesOf(root, uid)).some((one) => keyOf(one) === keyOf(volume))) return
    await unmountFlexDevice(volume, this.#deps)
    if (this.#inUse.delete(flexVolumeName(volume))) this.#inUseChanged()
  }

  #use(name: string): void {
    if (this.#inUse.has(name)) return
    this.#inUse.add(name)
    this.#inUseChanged()
  }
}

/** Neither name has spaces. */
const keyOf = ({ driver, name }: FlexName) => `volume ${driver} ${name}`
