import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isActive, isFinished, isReady, isTerminating } from '../pods/pod-state.ts'
import { judgeFailure } from './failure-policy.ts'
import { formatIndexes, parseIndexes } from './indexes.ts'

export const TRACKING = 'batch.kubernetes.io/job-tracking'
export const INDEX = 'batch.kubernetes.io/job-completion-index'
const FIRST_BACKOFF_MS = 10_000
const MAX_BACKOFF_MS = 600_000

export interface JobCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly lastProbeTime: string
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

export const conditionsOf = (job: KubeObject): readonly JobCondition[] => job.status?.conditions ?? []
const holds = (job: KubeObject, type: string) => conditionsOf(job).find((c) => c.type === type && c.status === 'True')
export const isOver = (job: KubeObject): boolean => holds(job, 'Complete') !== undefined || holds(job, 'Failed') !== undefined
export const isIndexed = (job: KubeObject): boolean => job.spec?.completionMode === 'Indexed'
export const indexOf = (pod: KubeObject): number => Number.parseInt(pod.metadata.annotations?.[INDEX] ?? '-1', 10)
export const isTracked = (pod: KubeObject): boolean => pod.metadata.finalizers?.includes(TRACKING) === true

/** An event that the plan brings with it. */
export interface News {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface JobPlan {
  readonly status: KubeObject['status']
  /** Finished pods that are counted in this status: they may go. */
  readonly release: readonly KubeObject[]
  readonly remove: readonly KubeObject[]
  /** How many pods to make, or for which indexes. */
  readonly create: { readonly count: number; readonly indexes?: readonly number[] }
  readonly news: readonly News[]
  /** When to look again although nothing changes. */
  readonly againInMs?: number
}

/** Decides from the job and its pods. Pure. */
export function planJob(job: KubeObject, pods: readonly KubeObject[], nowMs: number): JobPlan {
  const tally = count(job, pods, nowMs)
  const now = timestamp(nowMs)
  const spec = job.spec ?? {}
  const news: News[] = []
  let conditions = conditionsOf(job)
  let startTime: string | undefined = job.status?.startTime
  const set = (type: string, status: 'True' | 'False', reason: string, message: string) => {
    conditions = [
      ...conditions.filter((c) => c.type !== type),
      { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message },
    ]
  }

  const suspendedNow = conditions.find((c) => c.type === 'Suspended')?.status
  if (startTime === undefined && !spec.suspend) startTime = now
  const verdict = decide(job, { tally, startTime, nowMs })
  const ending = verdict ?? standingVerdict(job)
  if (verdict !== undefined && standingVerdict(job) === undefined) set(verdict.target, 'True', verdict.reason, verdict.message)
  if (ending === undefined && spec.suspend && suspendedNow !== 'True') {
    set('Suspended', 'True', 'JobSuspended', 'Job suspended')
    startTime = undefined
    news.push({ type: 'Normal', reason: 'Suspended', message: 'Job suspended' })
  } else if (ending === undefined && !spec.suspend && suspendedNow === 'True') {
    set('Suspended', 'False', 'JobResumed', 'Job resumed')
    startTime = now
    news.push({ type: 'Normal', reason: 'Resumed', message: 'Job resumed' })
  }

  const active = pods.filter(isActive)
  const terminating = pods.filter((p) => isTerminating(p) && !isFinished(p)).length
  const remove = ending !== undefined || spec.suspend ? active : surplus(job, active)
  const create = ending !== undefined || spec.suspend ? { count: 0 } : missing(job, pods, tally)
  const waitMs = create.count > 0 ? backOffMs(pods, tally, nowMs) : 0

  let completionTime: string | undefined = job.status?.completionTime
  if (ending !== undefined && active.length === 0 && terminating === 0 && !isOver(job)) {
    const success = ending.target === 'SuccessCriteriaMet'
    set(success ? 'Complete' : 'Failed', 'True', ending.reason, ending.message)
    if (success) completionTime = now
    news.push(
      success
        ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
        : { type: 'Warning', reason: ending.reason, message: ending.message },
    )
  }
  const deadlineMs =
    spec.activeDeadlineSeconds === undefined || startTime === undefined || ending
      ? undefined
      : Date.parse(startTime) + spec.activeDeadlineSeconds * 1000 - nowMs
  const waits = [...(waitMs > 0 ? [waitMs] : []), ...(deadlineMs === undefined ? [] : [Math.max(1, deadlineMs)])]
  const indexed = isIndexed(job) && tally.indexes.size > 0 ? { completedIndexes: formatIndexes(tally.indexes) } : {}
  const removed = new Set(remove)
  const stillActive = active.filter((p) => !removed.has(p))
  return {
    status: {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(completionTime === undefined ? {} : { completionTime }),
      ...(stillActive.length === 0 ? {} : { active: stillActive.length }),
      ...(tally.succeeded === 0 ? {} : { succeeded: tally.succeeded }),
      ...(tally.failed === 0 ? {} : { failed: tally.failed }),
      ...indexed,
      ready: stillActive.filter(isReady).length,
      terminating: terminating + remove.length,
      uncountedTerminatedPods: {},
    },
    release: tally.counted,
    remove,
    create: waitMs > 0 ? { count: 0 } : create,
    news,
    ...(waits.length === 0 ? {} : { againInMs: Math.min(...waits) }),
  }
}

interface Tally {
  readonly succeeded: number
  readonly failed: number
  readonly indexes: ReadonlySet<number>
  /** Pods that were counted just now, and still carry the finalizer. */
  readonly counted: readonly KubeObject[]
  readonly failJob: string | undefined
}

/** The standing counts and the finished pods that are not in them yet: those still carry the tracking finalizer. */
function count(job: KubeObject, pods: readonly KubeObject[], _nowMs: number): Tally {
  const indexes = parseIndexes(job.status?.completedIndexes)
  let succeeded: number = job.status?.succeeded ?? 0
  let failed: number = job.status?.failed ?? 0
  let failJob: string | undefined
  const counted: KubeObject[] = []
  const ended = job.status?.conditions?.some((c: JobCondition) => c.type === 'FailureTarget' && c.status === 'True') === true
  for (const pod of pods.filter(isTracked)) {
    const gone = isFinished(pod) || (isTerminating(pod) && (ended || !pod.spec?.nodeName))
    if (!gone) continue
    counted.push(pod)
    if (pod.status?.phase === 'Succeeded') {
      if (!isIndexed(job)) succeeded++
      else if (indexOf(pod) >= 0 && indexOf(pod) < (job.spec?.completions ?? 0)) indexes.add(indexOf(pod))
      continue
    }
    const judged = judgeFailure(job, pod)
    if (judged.action !== 'Ignore') failed++
    if (judged.action === 'FailJob') failJob ??= judged.message
  }
  return { succeeded: isIndexed(job) ? indexes.size : succeeded, failed, indexes, counted, failJob }
}

interface Verdict {
  readonly target: 'SuccessCriteriaMet' | 'FailureTarget'
  readonly reason: string
  readonly message: string
}

function standingVerdict(job: KubeObject): Verdict | undefined {
  for (const target of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const standing = holds(job, target)
    if (standing !== undefined) return { target, reason: standing.reason, message: standing.message }
  }
  return undefined
}

function decide(job: KubeObject, view: { tally: Tally; startTime: string | undefined; nowMs: number }): Verdict | undefined {
  const { tally, startTime, nowMs } = view
  const spec = job.spec ?? {}
  const fail = (reason: string, message: string): Verdict => ({ target: 'FailureTarget', reason, message })
  if (tally.failJob !== undefined) return fail('PodFailurePolicy', tally.failJob)
  if (tally.failed > (spec.backoffLimit ?? 6)) return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  if (
    spec.activeDeadlineSeconds !== undefined &&
    !spec.suspend &&
    startTime !== undefined &&
    nowMs >= Date.parse(startTime) + spec.activeDeadlineSeconds * 1000
  )
    return fail('DeadlineExceeded', 'Job was active longer than specified deadline')
  const complete: Verdict = {
    target: 'SuccessCriteriaMet',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  }
  if (spec.completions === undefined) return tally.succeeded > 0 && view.tally.counted.length === 0 ? complete : undefined
  return tally.succeeded >= spec.completions ? complete : undefined
}

function surplus(job: KubeObject, active: readonly KubeObject[]): readonly KubeObject[] {
  const extra = active.length - (job.spec?.parallelism ?? 1)
  if (extra <= 0) return []
  return active.toSorted((a, b) => Number(isReady(a)) - Number(isReady(b))).slice(0, extra)
}

function missing(job: KubeObject, pods: readonly KubeObject[], tally: Tally): JobPlan['create'] {
  const spec = job.spec ?? {}
  // A pod that is on its way out is replaced at once, or only when it has ended.
  const standing = pods.filter((p) => !isFinished(p) && (!isTerminating(p) || spec.podReplacementPolicy === 'Failed'))
  const wanted =
    spec.completions === undefined
      ? tally.succeeded > 0
        ? standing.length
        : (spec.parallelism ?? 1)
      : Math.min(spec.parallelism ?? 1, spec.completions - tally.succeeded)
  const total = Math.max(0, wanted - standing.length)
  if (!isIndexed(job)) return { count: total }
  const taken = new Set([...tally.indexes, ...standing.map(indexOf)])
  const indexes: number[] = []
  for (let i = 0; i < (spec.completions ?? 0) && indexes.length < total; i++) if (!taken.has(i)) indexes.push(i)
  return { count: indexes.length, indexes }
}

/** After a failure new pods wait: 10 s, then twice as long each time. */
function backOffMs(pods: readonly KubeObject[], tally: Tally, nowMs: number): number {
  const failures = pods.filter((p) => p.status?.phase === 'Failed').map(finishedMs)
  const successes = pods.filter((p) => p.status?.phase === 'Succeeded').map(finishedMs)
  const since = Math.max(0, ...successes)
  const inARow = failures.filter((t) => t >= since)
  if (inARow.length === 0 || tally.failed === 0) return 0
  const wait = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, inARow.length - 1))
  return Math.max(0, Math.max(...inARow) + wait - nowMs)
}

function finishedMs(pod: KubeObject): number {
  const times = (pod.status?.containerStatuses ?? []).map(
    (c: { state?: { terminated?: { finishedAt?: string } } }) => Date.parse(c.state?.terminated?.finishedAt ?? '') || 0,
  )
  return Math.max(0, ...times) || Date.parse(pod.metadata.deletionTimestamp ?? pod.metadata.creationTimestamp ?? '') || 0
}
