import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { runController } from '../../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../../sdk/controller/work-queue.ts'
import type { Pod } from '../../types/pod.ts'
import { MOUNT_RETRY } from '../../volumes/mount-retry.ts'

/** A driver may take long, or never answer. */
const AT_ONCE = 10

export interface RestoredVolumesDeps {
  readonly clock: Clock
  readonly log: Logger
  /** The faults of what cannot be mounted yet. */
  readonly setUp: (pod: Pod) => Promise<readonly string[]>
}

/** Volumes of pods that ran before the agent started are mounted again: drivers have to find what they lost, and the agent what it has. */
export class RestoredVolumes {
  readonly #deps: RestoredVolumesDeps
  readonly #queue: WorkQueue
  readonly #pods = new Map<string, Pod>()

  constructor(deps: RestoredVolumesDeps) {
    this.#deps = deps
    this.#queue = new WorkQueue({ clock: deps.clock, ...MOUNT_RETRY })
  }

  add(pod: Pod): void {
    const { uid = '' } = pod.metadata
    this.#pods.set(uid, pod)
    this.#queue.add(uid)
  }

  drop(podUid: string): void {
    this.#pods.delete(podUid)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { setUp, log } = this.#deps
    const reconcile = async (uid: string) => {
      const pod = this.#pods.get(uid)
      const [fault] = pod === undefined ? [] : await setUp(pod)
      if (fault !== undefined) throw new Error(fault)
      this.#pods.delete(uid)
    }
    await runController({ name: 'restored-volumes', queue: this.#queue, workers: AT_ONCE, reconcile, log }, signal)
  }
}
