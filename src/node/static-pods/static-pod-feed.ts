import type { Pod } from '../types/pod.ts'

/** The static pods of a node, from all its sources. */
export interface StaticPodFeed {
  /**
   * Calls `tell` with all pods whenever they may have changed; `complete` when every source has responded. Until the signal is aborted;
   * never rejects.
   */
  run(notify: (pods: readonly Pod[], complete: boolean) => void, signal: AbortSignal): Promise<void>
}
