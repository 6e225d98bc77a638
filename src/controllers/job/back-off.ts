import type { Job } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import { finishedMs, hasFailed, isTracked } from './tracking.ts'

/** How many pods have failed since the last success, and when the last one did. */
export interface BackOff {
  readonly failures: number
  readonly lastMs: number
}

const NONE: BackOff = { failures: 0, lastMs: 0 }
const FIRST_MS = 10_000
const MOST_MS = 600_000

/** The wait after so many failures in a row: 10 s, then twice as long each time, up to 10 minutes. */
export const backOffAfter = (failures: number): number =>
  failures <= 0 ? 0 : Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(20, failures - 1))

export const remainingMs = ({ failures, lastMs }: BackOff, nowMs: number): number =>
  failures === 0 ? 0 : Math.max(0, lastMs + backOffAfter(failures) - nowMs)

/** The record with the pods that are counted now. After a restart it begins with counted pods that still exist. Pure. */
export function nextBackOff(job: Job, pods: readonly Pod[], before: BackOff | undefined): BackOff {
  const counted = pods.filter((p) => !isTracked(p))
  const standing = before ?? add(NONE, counted, (p) => p.status?.phase === 'Failed')
  return add(standing, pods.filter(isTracked), (p) => hasFailed(job, p))
}

function add(before: BackOff, pods: readonly Pod[], failed: (pod: Pod) => boolean): BackOff {
  const successes = pods.filter((p) => p.status?.phase === 'Succeeded').map(finishedMs)
  const since = Math.max(0, ...successes)
  const failures = pods.filter(failed).map(finishedMs)
  const fresh = failures.filter((ms) => ms >= since)
  return {
    failures: (successes.length > 0 ? 0 : before.failures) + fresh.length,
    lastMs: Math.max(successes.length > 0 ? 0 : before.lastMs, ...fresh),
  }
}
