import type { Pod } from '../types/pod.ts'

/** A source of static pods. */
export interface ManifestSource {
  /**
   * Calls `tell` with all of its pods: once at the start, empty if it has none, then whenever they have changed. Until the signal is
   * aborted; never rejects.
   */
  run(notify: (pods: readonly Pod[]) => void, signal: AbortSignal): Promise<void>
}
