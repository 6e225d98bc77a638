import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { runController } from '../../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../../sdk/controller/work-queue.ts'
import type { Pod } from '../../types/pod.ts'

export interface RestoredVolumesDeps {
  readonly clock: Clock
  readonly log: Logger
  /** The faults of what cannot be mounted yet. */
  readonly setUp: (pod: Pod) => Promise<readonly string[]>
}

/** The waits before volumes that could not be set up are tried again, as the kubelet's. */
export const MOUNT_RETRY = { firstMs: 500, maxMs: 122_000 } as const

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
    await runController({ name: 'restored-volumes', queue: this.#queue, reconcile, log }, signal)
  }
}
