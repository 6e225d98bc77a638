import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isActive, isFinished, isReady, isTerminating } from '../pods/pod-state.ts'
import { type BackOff, nextBackOff, remainingMs } from './back-off.ts'
import type { Count } from './counting-steps.ts'
import { managePods, type PodsPlan, type WantedPod } from './manage-pods.ts'
import { type Tally, tallyPods } from './tally.ts'
import { isIndexed } from './tracking.ts'
import { COMPLETE, conditionsOf, deadlineInMs, decide, isOver, type JobCondition, standingVerdict, type Verdict } from './verdict.ts'

/** An event that the plan brings with it. */
export interface News {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** To be carried out in this order, the count by `countingSteps`. */
export interface JobPlan extends Count {
  /** Pods that go without being counted: first their finalizer, then they. */
  readonly withdraw: readonly KubeObject[]
  /** Pods of a job that ends: they are counted when they go. */
  readonly remove: readonly KubeObject[]
  readonly create: readonly WantedPod[]
  readonly news: readonly News[]
  /** To be remembered once the status is written. */
  readonly backOff: BackOff
  /** When to look again although nothing changes. */
  readonly againInMs?: number
}

/** Decides from the job and its pods. Pure. */
export function planJob(job: KubeObject, pods: readonly KubeObject[], nowMs: number, known?: BackOff): JobPlan {
  const before = standingVerdict(job)
  const tally = tallyPods(job, pods, before?.target)
  const backOff = nextBackOff(job, pods, known)
  const startTime: string | undefined = job.status?.startTime ?? (job.spec?.suspend ? undefined : timestamp(nowMs))
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
  const told = tell(job, { verdict, startTime, over, succeeded: tally.succeeded, nowMs })
  const deadlineMs = verdict === undefined ? deadlineInMs({ job, startTime: told.startTime, nowMs }) : undefined
  const waits = [managed.waitMs, deadlineMs === undefined ? undefined : Math.max(1, deadlineMs)].filter((ms) => ms !== undefined)
  // At the end nothing is tried again: what waited for that is counted too.
  const release = verdict === undefined ? tally.release : [...tally.release, ...tally.delayed.values()]
  const released = new Set(release)
  return {
    status: { ...told.status, ...counts(job, { tally, left, terminating, ending: verdict !== undefined }) },
    withdraw: managed.withdraw,
    remove: decided === undefined ? [] : active,
    release,
    counting: { succeeded: tally.counting.succeeded, failed: tally.counting.failed.filter((p) => released.has(p)), before: tally.before },
    create: verdict === undefined ? managed.create : [],
    news: told.news,
    backOff,
    ...(waits.length === 0 ? {} : { againInMs: Math.min(...waits) }),
  }
}

/** The status of a job that is itself on its way out: it only counts what is there. Pure. */
export function endingStatus(job: KubeObject, pods: readonly KubeObject[]): KubeObject['status'] {
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

function isComplete(job: KubeObject, { succeeded }: Tally, active: number): boolean {
  const completions: number | undefined = job.spec?.completions
  if (active > 0) return false
  return typeof completions === 'number' ? succeeded >= completions : succeeded > 0
}

interface Told {
  readonly status: { [field: string]: unknown }
  readonly startTime: string | undefined
  readonly news: readonly News[]
}

interface Facts {
  readonly verdict: Verdict | undefined
  readonly startTime: string | undefined
  /** Nothing of the job runs any more. */
  readonly over: boolean
  /** So many pods have succeeded. */
  readonly succeeded: number
  readonly nowMs: number
}

/** Conditions and times, and the events that go with them. */
function tell(job: KubeObject, { verdict, startTime: started, over, succeeded, nowMs }: Facts): Told {
  const now = timestamp(nowMs)
  const news: News[] = []
  let conditions = conditionsOf(job)
  let startTime = started
  let completionTime: string | undefined = job.status?.completionTime
  const set = (type: string, status: JobCondition['status'], { reason, message }: { reason: string; message: string }) => {
    const fresh = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message }
    conditions = [...conditions.filter((c) => c.type !== type), fresh]
  }
  const suspended = conditions.find((c) => c.type === 'Suspended')?.status
  if (verdict !== undefined) {
    if (standingVerdict(job) === undefined) set(verdict.target, 'True', verdict)
    if (over && !isOver(job)) {
      const success = verdict.target === 'SuccessCriteriaMet'
      set(success ? 'Complete' : 'Failed', 'True', verdict)
      if (success) completionTime = now
      if (success && succeeded > (job.spec?.completions ?? Number.POSITIVE_INFINITY))
        news.push({
          type: 'Warning',
          reason: 'TooManySucceededPods',
          message: 'Too many succeeded pods running after completion count reached',
        })
      news.push(
        success
          ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
          : { type: 'Warning', reason: verdict.reason, message: verdict.message },
      )
    }
  } else if (job.spec?.suspend && suspended !== 'True') {
    set('Suspended', 'True', { reason: 'JobSuspended', message: 'Job suspended' })
    startTime = undefined
    news.push({ type: 'Normal', reason: 'Suspended', message: 'Job suspended' })
  } else if (!job.spec?.suspend && suspended === 'True') {
    set('Suspended', 'False', { reason: 'JobResumed', message: 'Job resumed' })
    startTime = now
    news.push({ type: 'Normal', reason: 'Resumed', message: 'Job resumed' })
  }
  const status = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
  }
  return { status, startTime, news }
}

function counts(job: KubeObject, facts: { tally: Tally; left: readonly KubeObject[]; terminating: number; ending: boolean }) {
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
