import type { KubeObject } from '../../machinery/object.ts'
import { IndexSet } from './index-set.ts'
import type { Ending, Tally } from './tally.ts'
import { isIndexed } from './tracking.ts'

/** `batch/v1.JobCondition` */
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

/** How a job ends. */
export interface Verdict {
  readonly target: Ending
  readonly reason: string
  readonly message: string
}

export const COMPLETE: Verdict = {
  target: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
}

/** What was decided before. */
export function standingVerdict(job: KubeObject): Verdict | undefined {
  for (const target of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const standing = holds(job, target)
    if (standing !== undefined) return { target, reason: standing.reason, message: standing.message }
  }
  return undefined
}

export interface JobView {
  readonly job: KubeObject
  readonly pods: readonly KubeObject[]
  readonly tally: Tally
  readonly startTime: string | undefined
  readonly nowMs: number
}

/** Whether the job has failed, or succeeded by its policy; that all completions are there is decided when no pod is left. Pure. */
export function decide(view: JobView): Verdict | undefined {
  const { job, tally, pods } = view
  const fail = (reason: string, message: string): Verdict => ({ target: 'FailureTarget', reason, message })
  if (tally.failJob !== undefined) return fail('PodFailurePolicy', tally.failJob)
  const limit = job.spec?.backoffLimit ?? 6
  if (tally.allFailed > limit || hasRestartedTooOften(job, pods, limit))
    return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  if (deadlineInMs(view) === 0) return fail('DeadlineExceeded', 'Job was active longer than specified deadline')
  if (!isIndexed(job)) return undefined
  const given = tally.failedIndexes?.size ?? 0
  const { maxFailedIndexes, completions = 0 } = job.spec ?? {}
  if (typeof maxFailedIndexes === 'number' && given > maxFailedIndexes)
    return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
  if (given > 0 && given + tally.completed.size >= completions) return fail('FailedIndexes', 'Job has failed indexes')
  return bySuccessPolicy(job, tally)
}

/** How long until the job has been active for too long; undefined without a deadline, or while it is suspended. */
export function deadlineInMs({ job, startTime, nowMs }: Pick<JobView, 'job' | 'startTime' | 'nowMs'>): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds
  if (typeof seconds !== 'number' || job.spec?.suspend || startTime === undefined) return undefined
  return Math.max(0, Date.parse(startTime) + seconds * 1000 - nowMs)
}

/** Containers that are started again in place count like pods that fail; a limit of 0 allows none. */
function hasRestartedTooOften(job: KubeObject, pods: readonly KubeObject[], limit: number): boolean {
  if (job.spec?.template?.spec?.restartPolicy !== 'OnFailure') return false
  let restarts = 0
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue
    for (const c of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) restarts += c.restartCount ?? 0
  }
  return limit === 0 ? restarts > 0 : restarts >= limit
}

interface SuccessRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

function bySuccessPolicy(job: KubeObject, { completed }: Tally): Verdict | undefined {
  const rules: readonly SuccessRule[] = job.spec?.successPolicy?.rules ?? []
  const at = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && completed.size >= succeededCount
    const wanted = IndexSet.parse(succeededIndexes)
    return wanted.countShared(completed) >= (succeededCount ?? wanted.size)
  })
  return at === -1 ? undefined : { target: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: `Matched rules at index ${at}` }
}
