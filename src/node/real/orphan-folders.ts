import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { MOUNT_RETRY } from '../volumes/mount-retry.ts'

/** Unmounting may take long, or never end. */
const AT_ONCE = 10

export interface OrphanFoldersDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly remove: (folder: string) => Promise<void>
}

/** Folders of pods that went while no agent ran. What is mounted in one may be in use for a while. */
export class OrphanFolders {
  readonly #deps: OrphanFoldersDeps
  readonly #queue: WorkQueue

  constructor(deps: OrphanFoldersDeps) {
    this.#deps = deps
    this.#queue = new WorkQueue({ clock: deps.clock, ...MOUNT_RETRY })
  }

  add(folder: string): void {
    this.#queue.add(folder)
  }

  /** Removes them, each until it has gone, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { remove, log } = this.#deps
    await runController({ name: 'orphan-folders', queue: this.#queue, workers: AT_ONCE, reconcile: remove, log }, signal)
  }
}
