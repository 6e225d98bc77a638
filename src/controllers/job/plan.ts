import { timestamp } from '../../base/clock.ts'
import type { Job, JobStatus } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { ObjectEvent } from '../frame/object-events.ts'
import { isActive, isFinished, isReady, isTerminating } from '../pods/pod-state.ts'
import { type BackOff, nextBackOff, remainingMs } from './back-off.ts'
import type { Count } from './counting-steps.ts'
import { managePods, type PodsPlan, type WantedPod } from './manage-pods.ts'
import { type Tally, tallyPods } from './tally.ts'
import { isIndexed, isTracked } from './tracking.ts'
import { transition } from './transition.ts'
import { COMPLETE, deadlineInMs, decide, standingVerdict } from './verdict.ts'

/** Carried out in this order; the counting by `countingSteps`. */
export interface JobPlan extends Count {
  /** Pods that are deleted without being counted: their finalizer is removed first. */
  readonly withdraw: readonly Pod[]
  /** Pods of a job that is ending: those of one that fails are counted once they are deleted. */
  readonly remove: readonly Pod[]
  readonly create: readonly WantedPod[]
  readonly events: readonly ObjectEvent[]
  /** Remembered once the status is written. */
  readonly backOff: BackOff
  /** When to reconcile again even if nothing changes. */
  readonly requeueAfterMs?: number
}

/** Decides from the job and its pods. Pure. */
export function planJob(job: Job, pods: readonly Pod[], nowMs: number, known?: BackOff): JobPlan {
  const before = standingVerdict(job)
  const tally = tallyPods(job, pods, before?.target)
  const backOff = nextBackOff(job, pods, known)
  const startTime: string | undefined = job.status?.startTime ?? (job.spec.suspend ? undefined : timestamp(nowMs))
  const decided = before ?? decide({ job, pods, tally, startTime, nowMs })
  const active = pods.filter(isActive)
  const managed: PodsPlan =
    decided === undefined
      ? managePods(job, pods, { tally, nowMs, waitMs: remainingMs(backOff, nowMs) })
      : { withdraw: [], create: [], waitMs: undefined }
  const left = decided === undefined ? active.filter((p) => !managed.withdraw.includes(p)) : []
  const verdict = decided ?? (isComplete(job, tally, left.length + managed.create.length) ? COMPLETE : undefined)
  const terminating = pods.filter((p) => isTerminating(p) && !isFinished(p)).length
  const over = verdict !== undefined && active.length === 0 && terminating === 0
  const deleted = active.length - left.length
  const changed = transition(job, { verdict, startTime, over, succeeded: tally.succeeded, nowMs })
  const deadlineMs = verdict === undefined ? deadlineInMs({ job, startTime: changed.status.startTime, nowMs }) : undefined
  const waits = [managed.waitMs, deadlineMs === undefined ? undefined : Math.max(1, deadlineMs)].filter((ms) => ms !== undefined)
  // At the end no index is tried again: pods that waited for that are counted too.
  const ended = verdict === undefined ? tally.release : [...tally.release, ...tally.delayed.values()]
  // Pods that are deleted because the job has succeeded never count, however they end: they lose their finalizer now.
  const release = decided?.target === 'SuccessCriteriaMet' ? [...ended, ...active.filter(isTracked)] : ended
  const released = new Set(release)
  return {
    status: { ...changed.status, ...counts(job, { tally, left, terminating: terminating + deleted, ending: verdict !== undefined }) },
    withdraw: managed.withdraw,
    remove: decided === undefined ? [] : active,
    release,
    counting: { succeeded: tally.counting.succeeded, failed: tally.counting.failed.filter((p) => released.has(p)), before: tally.before },
    create: verdict === undefined ? managed.create : [],
    events: changed.events,
    backOff,
    ...(waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) }),
  }
}

/** The status of a job that is being deleted: it only counts its pods. Pure. */
export function endingStatus(job: Job, pods: readonly Pod[]): JobStatus {
  const active = pods.filter(isActive)
  const { active: _, ...kept } = job.status ?? {}
  return {
    ...kept,
    ...(active.length === 0 ? {} : { active: active.length }),
    ready: active.filter(isReady).length,
    terminating: pods.filter((p) => isTerminating(p) && !isFinished(p)).length,
    uncountedTerminatedPods: job.status?.uncountedTerminatedPods ?? {},
  }
}

function isComplete(job: Job, { succeeded }: Tally, active: number): boolean {
  const { completions } = job.spec
  if (active > 0) return false
  return completions !== undefined ? succeeded >= completions : succeeded > 0
}

function counts(job: Job, facts: { tally: Tally; left: readonly Pod[]; terminating: number; ending: boolean }) {
  const { tally, left, terminating, ending } = facts
  const failed = ending ? tally.allFailed : tally.failed
  return {
    ...(left.length === 0 ? {} : { active: left.length }),
    ...(tally.succeeded === 0 ? {} : { succeeded: tally.succeeded }),
    ...(failed === 0 ? {} : { failed }),
    ...(isIndexed(job) && tally.completed.size > 0 ? { completedIndexes: String(tally.completed) } : {}),
    ...(tally.failedIndexes === undefined ? {} : { failedIndexes: String(tally.failedIndexes) }),
    ready: left.filter(isReady).length,
    terminating,
    uncountedTerminatedPods: {},
  }
}
