import type { Logger } from '../../base/logger.ts'
import type { AdmitHandler } from '../types/admit-handler.ts'
import { type Pod, podRef } from '../types/pod.ts'
import type { DriverVolumes } from './driver-volumes.ts'

export interface DriverPodsDeps {
  readonly volumes: DriverVolumes
  /** Removes what else is left of a pod that no longer exists. */
  readonly removeFolder: (podUid: string) => void
  readonly log: Logger
}

/** The ends of pods with volumes of drivers: a pod's object stays until its volumes are unmounted. */
export class DriverPods implements AdmitHandler {
  readonly name = 'driver-pods'
  readonly #deps: DriverPodsDeps
  /** Pods that went while no agent ran. */
  readonly #orphans = new Set<string>()

  constructor(deps: DriverPodsDeps) {
    this.#deps = deps
  }

  admit(): undefined {}

  release(): void {}

  /** Others need not wait for it: what the pod had on the node is gone later than its containers. */
  async afterStop(pod: Pod): Promise<void> {
    this.#deps.volumes.release(podRef(pod).uid)
  }

  async clear(pod: Pod): Promise<void> {
    const { uid } = podRef(pod)
    if (!(await this.#deps.volumes.holds(uid))) return
    this.#deps.volumes.release(uid)
    throw new Error('volumes of drivers are still mounted')
  }

  watchPods(changed: (podUid: string) => void): void {
    this.#deps.volumes.watchReleases((podUid) => {
      if (!this.#orphans.delete(podUid)) return changed(podUid)
      this.#deps.removeFolder(podUid)
    })
  }

  retain(podUids: ReadonlySet<string>): void {
    const releasing = this.#releaseOrphans(podUids)
    void releasing.catch((error) => this.#deps.log.warn('volumes of old pods could not be removed', { error }))
  }

  async #releaseOrphans(podUids: ReadonlySet<string>): Promise<void> {
    const { volumes } = this.#deps
    for (const uid of await volumes.podUids()) {
      if (podUids.has(uid)) continue
      this.#orphans.add(uid)
      volumes.release(uid)
    }
  }
}
