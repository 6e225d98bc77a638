import { millisecondsOf } from '../../machinery/go/go-duration.ts'
import type { Job } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import { conditionOf, isTerminating } from '../pods/pod-state.ts'

/** The finalizer that a pod carries until the job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking'
export const INDEX = 'batch.kubernetes.io/job-completion-index'
/** On a pod: how often its index had failed before. */
export const FAILURES = 'batch.kubernetes.io/job-index-failure-count'
/** The same for failures that a rule ignores. */
export const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count'

export const isTracked = (pod: Pod): boolean => pod.metadata.finalizers?.includes(TRACKING) === true
export const isIndexed = (job: Job): boolean => job.spec.completionMode === 'Indexed'
export const limitsEachIndex = (job: Job): boolean => isIndexed(job) && typeof job.spec.backoffLimitPerIndex === 'number'

/** The pod's index; -1 for one without. */
export const indexOf = (pod: Pod): number => Number.parseInt(pod.metadata.annotations?.[INDEX] ?? '-1', 10)
/** In an Indexed job only pods of its current indexes count. */
export const belongs = (job: Job, pod: Pod): boolean => !isIndexed(job) || (indexOf(pod) >= 0 && indexOf(pod) < (job.spec.completions ?? 0))

export const failuresOf = (pod: Pod): number => Number.parseInt(pod.metadata.annotations?.[FAILURES] ?? '0', 10) || 0
export const ignoredOf = (pod: Pod): number => Number.parseInt(pod.metadata.annotations?.[IGNORED] ?? '0', 10) || 0

/** Whether a terminating pod is replaced only when it has ended. */
export const awaitsEnd = (job: Job): boolean => job.spec.podReplacementPolicy === 'Failed' || job.spec.podFailurePolicy !== undefined

/** Whether the pod counts as failed: deleted pods do, at once or when they have ended. */
export function hasFailed(job: Job, pod: Pod): boolean {
  const phase = pod.status?.phase
  if (phase === 'Failed') return true
  if (phase === 'Succeeded' || !isTerminating(pod)) return false
  // Without a node no kubelet will ever report its end.
  return !awaitsEnd(job) || !pod.spec.nodeName
}

/** When the pod ended: by its containers, else by its conditions, else by its deletion timestamp. */
export function finishedMs(pod: Pod): number {
  const times = (pod.status?.containerStatuses ?? []).map(
    (c: { state?: { terminated?: { finishedAt?: string } } }) => Date.parse(c.state?.terminated?.finishedAt ?? '') || 0,
  )
  const ready = conditionOf(pod, 'Ready')
  const unready = ready?.status === 'False' ? Date.parse(ready.lastTransitionTime ?? '') || 0 : 0
  const graceMs = millisecondsOf(pod.metadata.deletionGracePeriodSeconds ?? 0)
  const deleted = pod.metadata.deletionTimestamp === undefined ? 0 : Date.parse(pod.metadata.deletionTimestamp) - graceMs
  return Math.max(0, ...times) || unready || deleted || Date.parse(pod.metadata.creationTimestamp ?? '') || 0
}
