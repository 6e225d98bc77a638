import type { Job } from '../../resources/types/batch.ts'

/**
 * A finished Job stays this long even with `ttlSecondsAfterFinished: 0`: helm takes a Job that is gone before its watch showed the end for
 * a failed one. In Kubernetes the garbage collector, which first deletes the Job's pods, has the same effect.
 */
const LEAST_LIFE_MS = 500

/** When a finished Job's time to live is over; undefined for one that is not finished, or has no limit. Pure. */
export function expiresAtMs({ metadata, spec, status }: Job): number | undefined {
  const seconds = spec.ttlSecondsAfterFinished
  if (seconds === undefined || metadata.deletionTimestamp !== undefined) return undefined
  const finished = status?.conditions?.find((c) => (c.type === 'Complete' || c.type === 'Failed') && c.status === 'True')
  return finished?.lastTransitionTime === undefined ? undefined : Date.parse(finished.lastTransitionTime) + seconds * 1000
}

/** When the Job may be deleted. `seenMs`: when it was first seen finished. Pure. */
export const deletionMs = (expiresMs: number, seenMs: number): number => Math.max(expiresMs, seenMs + LEAST_LIFE_MS)
