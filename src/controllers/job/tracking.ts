import type { KubeObject } from '../../machinery/object.ts'
import { conditionOf, isTerminating } from '../pods/pod-state.ts'

/** The finalizer that a pod carries until the job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking'
export const INDEX = 'batch.kubernetes.io/job-completion-index'
/** On a pod: how often its index had failed before. */
export const FAILURES = 'batch.kubernetes.io/job-index-failure-count'
/** The same for failures that a rule ignores. */
export const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count'

export const isTracked = (pod: KubeObject): boolean => pod.metadata.finalizers?.includes(TRACKING) === true
export const isIndexed = (job: KubeObject): boolean => job.spec?.completionMode === 'Indexed'
export const limitsEachIndex = (job: KubeObject): boolean => isIndexed(job) && typeof job.spec?.backoffLimitPerIndex === 'number'

/** The pod's index; -1 for one without. */
export const indexOf = (pod: KubeObject): number => Number.parseInt(pod.metadata.annotations?.[INDEX] ?? '-1', 10)
/** Of an indexed job only pods of its present indexes count. */
export const belongs = (job: KubeObject, pod: KubeObject): boolean =>
  !isIndexed(job) || (indexOf(pod) >= 0 && indexOf(pod) < (job.spec?.completions ?? 0))

export const failuresOf = (pod: KubeObject): number => Number.parseInt(pod.metadata.annotations?.[FAILURES] ?? '0', 10) || 0
export const ignoredOf = (pod: KubeObject): number => Number.parseInt(pod.metadata.annotations?.[IGNORED] ?? '0', 10) || 0

/** Whether a pod that is on its way out is replaced only when it has ended. */
export const awaitsEnd = (job: KubeObject): boolean =>
  job.spec?.podReplacementPolicy === 'Failed' || job.spec?.podFailurePolicy !== undefined

/** Whether the pod counts as failed: those that somebody deletes do, at once or when they have ended. */
export function hasFailed(job: KubeObject, pod: KubeObject): boolean {
  const phase = pod.status?.phase
  if (phase === 'Failed') return true
  if (phase === 'Succeeded' || !isTerminating(pod)) return false
  // Without a node nobody will ever say that it has ended.
  return !awaitsEnd(job) || !pod.spec?.nodeName
}

/** When the pod ended: by its containers, else by its conditions, else when its deletion was asked for. */
export function finishedMs(pod: KubeObject): number {
  const times = (pod.status?.containerStatuses ?? []).map(
    (c: { state?: { terminated?: { finishedAt?: string } } }) => Date.parse(c.state?.terminated?.finishedAt ?? '') || 0,
  )
  const ready = conditionOf(pod, 'Ready')
  const unready = ready?.status === 'False' ? Date.parse(ready.lastTransitionTime ?? '') || 0 : 0
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000
  const deleted = pod.metadata.deletionTimestamp === undefined ? 0 : Date.parse(pod.metadata.deletionTimestamp) - graceMs
  return Math.max(0, ...times) || unready || deleted || Date.parse(pod.metadata.creationTimestamp ?? '') || 0
}
