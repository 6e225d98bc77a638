import type { Pod } from '../types/pod.ts'

/** Where static pods come from. */
export interface ManifestSource {
  /**
   * Calls `tell` with all of its pods: once soon, empty where it has none, then whenever they have changed. Until the signal is aborted;
   * never rejects.
   */
  run(tell: (pods: readonly Pod[]) => void, signal: AbortSignal): Promise<void>
}
