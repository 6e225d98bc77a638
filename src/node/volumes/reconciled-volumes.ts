import type { Clock } from '../../base/clock.ts'
import { KeyMutex } from '../../base/key-mutex.ts'
import type { Logger } from '../../base/logger.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { DriverVolumes } from './driver-volumes.ts'
import { MOUNT_RETRY } from './mount-retry.ts'

export interface ReconciledVolumesDeps {
  readonly clock: Clock
  readonly log: Logger
}

const WORKERS = 4

/** A volume on this node, whatever pods have it. The driver's name has no spaces. */
export interface VolumeName {
  readonly driver: string
  readonly name: string
}

const keyOf = ({ driver, name }: VolumeName) => `volume ${driver} ${name}`

/**
 * The volumes of one kind of drivers on a node. When a pod is released its volumes are unmounted, until that worked; then the device of
 * each volume that no other pod has. The folders alone say what is mounted, so that any later agent can unmount it. `V` is a volume mounted
 * for a pod.
 */
export abstract class ReconciledVolumes<V> implements DriverVolumes {
  readonly #title: string
  readonly #log: Logger
  readonly #queue: WorkQueue
  /** A volume is mounted, or unmounted, or neither. */
  readonly #mutex = new KeyMutex()
  /** As the Node's status names them. */
  readonly #inUse = new Set<string>()
  #released: (podUid: string) => void = () => {}
  #inUseChanged: () => void = () => {}

  /** `title` names the work in logs: `csi-volumes`. */
  constructor(title: string, { clock, log }: ReconciledVolumesDeps) {
    this.#title = title
    this.#log = log
    this.#queue = new WorkQueue({ clock, ...MOUNT_RETRY })
  }

  abstract holds(podUid: string): Promise<boolean>
  /** The UIDs of pods that have folders. */
  protected abstract podFolders(): Promise<readonly string[]>
  protected abstract mountedFor(podUid: string): Promise<readonly V[]>
  protected abstract nameOf(volume: V): VolumeName
  protected abstract unmount(podUid: string, volume: V): Promise<void>
  /** Unmounts the device of a volume that no pod has, and calls `unuse`. */
  protected abstract unmountDevice(name: VolumeName): Promise<void>

  inUse(): readonly string[] {
    return [...this.#inUse]
  }

  watchInUse(changed: () => void): void {
    this.#inUseChanged = changed
  }

  watchReleases(released: (podUid: string) => void): void {
    this.#released = released
  }

  release(podUid: string): void {
    this.#queue.add(`pod ${podUid}`)
  }

  async podUids(): Promise<readonly string[]> {
    const uids = await this.podFolders()
    const held = await Promise.all(uids.map((uid) => this.holds(uid)))
    return uids.filter((_, i) => held[i])
  }

  /** Runs work on a volume while nothing else works on it. */
  protected alone<T>(volume: VolumeName, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run([keyOf(volume)], work)
  }

  /** The volume is in use, under its name in the Node's status. */
  protected use(statusName: string): void {
    if (this.#inUse.has(statusName)) return
    this.#inUse.add(statusName)
    this.#inUseChanged()
  }

  protected unuse(statusName: string): void {
    if (this.#inUse.delete(statusName)) this.#inUseChanged()
  }

  /** Unmounts the device of a volume if no pod has it any more. */
  protected review(volume: VolumeName): void {
    this.#queue.add(keyOf(volume))
  }

  /** Until the signal is aborted. */
  protected async unmountReleased(signal: AbortSignal): Promise<void> {
    const reconcile = (key: string) => this.#reconcile(key)
    await runController({ name: this.#title, queue: this.#queue, workers: WORKERS, reconcile, log: this.#log }, signal)
  }

  async #reconcile(key: string): Promise<void> {
    const [kind, first = '', ...rest] = key.split(' ')
    if (kind === 'pod') return this.#unmountAll(first)
    const volume = { driver: first, name: rest.join(' ') }
    await this.alone(volume, async () => {
      if (!(await this.#isMounted(key))) await this.unmountDevice(volume)
    })
  }

  async #unmountAll(podUid: string): Promise<void> {
    const faults: unknown[] = []
    for (const volume of await this.mountedFor(podUid)) {
      const name = this.nameOf(volume)
      await this.alone(name, () => this.unmount(podUid, volume)).catch((error) => faults.push(error))
      this.review(name)
    }
    if (faults.length > 0) throw faults[0]
    this.#released(podUid)
  }

  async #isMounted(key: string): Promise<boolean> {
    for (const uid of await this.podUids())
      if ((await this.mountedFor(uid)).some((volume) => keyOf(this.nameOf(volume)) === key)) return true
    return false
  }
}
