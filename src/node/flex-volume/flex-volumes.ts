import path from 'node:path'
import { namesIn } from '../../base/names-in.ts'
import { type FlexVolume, flexVolumeName, optionsOf } from '../../sdk/flex-volume/flex-volume.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import { ReconciledVolumes, type ReconciledVolumesDeps } from '../volumes/reconciled-volumes.ts'
import { type FlexName, flexDevices, flexVolumesOf } from './flex-folders.ts'
import { type FlexMountDeps, type FlexMountRequest, mountFlexVolume } from './mount-flex-volume.ts'
import { unmountFlexDevice, unmountFlexVolume } from './unmount-flex-volume.ts'

export type FlexVolumesDeps = FlexMountDeps & ReconciledVolumesDeps

/** The volumes of FlexVolume drivers on a node: a device is unmounted when no pod's folder has its volume. */
export class FlexVolumes extends ReconciledVolumes<FlexName> implements AgentPart {
  readonly #deps: FlexVolumesDeps

  constructor(deps: FlexVolumesDeps) {
    super('flex-volumes', deps)
    this.#deps = deps
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
    return this.alone(request.volume, async () => {
      const driver = await this.#deps.drivers.find(request.volume.driver)
      if (driver?.capabilities.attach) this.use(flexVolumeName(request.volume))
      return mountFlexVolume(request, this.#deps)
    })
  }

  async holds(podUid: string): Promise<boolean> {
    return (await this.mountedFor(podUid)).length > 0
  }

  /** Until the signal is aborted. */
  async run(_agent: AgentView, signal: AbortSignal): Promise<void> {
    for (const device of await flexDevices(this.#deps.root)) {
      this.use(flexVolumeName(device))
      this.review(device)
    }
    await this.unmountReleased(signal)
  }

  protected podFolders(): Promise<readonly string[]> {
    return namesIn(path.join(this.#deps.root, 'pods'))
  }

  protected mountedFor(podUid: string): Promise<readonly FlexName[]> {
    return flexVolumesOf(this.#deps.root, podUid)
  }

  protected nameOf(volume: FlexName): FlexName {
    return volume
  }

  protected unmount(podUid: string, volume: FlexName): Promise<void> {
    return unmountFlexVolume(podUid, volume, this.#deps)
  }

  protected async unmountDevice(volume: FlexName): Promise<void> {
    await unmountFlexDevice(volume, this.#deps)
    this.unuse(flexVolumeName(volume))
  }
}
