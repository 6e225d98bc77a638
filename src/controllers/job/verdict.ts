import { millisecondsOf } from '../../machinery/go/go-duration.ts'
import type { Job, JobCondition } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import { IndexSet } from './index-set.ts'
import type { Ending, Tally } from './tally.ts'
import { isIndexed } from './tracking.ts'

export const conditionsOf = (job: Job): readonly JobCondition[] => job.status?.conditions ?? []
const holds = (job: Job, type: string) => conditionsOf(job).find((c) => c.type === type && c.status === 'True')
export const isOver = (job: Job): boolean => holds(job, 'Complete') !== undefined || holds(job, 'Failed') !== undefined

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

/** The verdict of an earlier round. */
export function standingVerdict(job: Job): Verdict | undefined {
  for (const target of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const standing = holds(job, target)
    if (standing !== undefined) return { target, reason: standing.reason ?? '', message: standing.message ?? '' }
  }
  return undefined
}

export interface JobView {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly tally: Tally
  readonly startTime: string | undefined
  readonly nowMs: number
}

/** Whether the job has failed, or succeeded by its success policy. Completion is decided when no pod runs any more. Pure. */
export function decide(view: JobView): Verdict | undefined {
  const { job, tally, pods } = view
  const fail = (reason: string, message: string): Verdict => ({ target: 'FailureTarget', reason, message })
  if (tally.failJob !== undefined) return fail('PodFailurePolicy', tally.failJob)
  const limit = job.spec.backoffLimit ?? 6
  if (tally.allFailed > limit || hasRestartedTooOften(job, pods, limit))
    return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  if (deadlineInMs(view) === 0) return fail('DeadlineExceeded', 'Job was active longer than specified deadline')
  if (!isIndexed(job)) return undefined
  const given = tally.failedIndexes?.size ?? 0
  const { maxFailedIndexes, completions = 0 } = job.spec
  if (typeof maxFailedIndexes === 'number' && given > maxFailedIndexes)
    return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
  if (given > 0 && given + tally.completed.size >= completions) return fail('FailedIndexes', 'Job has failed indexes')
  return bySuccessPolicy(job, tally)
}

/** How long until `activeDeadlineSeconds` is over; undefined without it, or while the job is suspended. */
export function deadlineInMs({ job, startTime, nowMs }: Pick<JobView, 'job' | 'startTime' | 'nowMs'>): number | undefined {
  const seconds = job.spec.activeDeadlineSeconds
  if (seconds === undefined || job.spec.suspend || startTime === undefined) return undefined
  return Math.max(0, Date.parse(startTime) + millisecondsOf(seconds) - nowMs)
}

/** With `OnFailure`, restarts of containers count like failed pods; a limit of 0 allows none. */
function hasRestartedTooOften(job: Job, pods: readonly Pod[], limit: number): boolean {
  if (job.spec.template?.spec.restartPolicy !== 'OnFailure') return false
  let restarts = 0
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue
    for (const c of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) restarts += c.restartCount ?? 0
  }
  return limit === 0 ? restarts > 0 : restarts >= limit
}

function bySuccessPolicy(job: Job, { completed }: Tally): Verdict | undefined {
  const rules = job.spec.successPolicy?.rules ?? []
  const at = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && completed.size >= succeededCount
    const wanted = IndexSet.parse(succeededIndexes)
    return wanted.countShared(completed) >= (succeededCount ?? wanted.size)
  })
  return at === -1 ? undefined : { target: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: `Matched rules at index ${at}` }
}
