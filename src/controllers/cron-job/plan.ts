import { errorOf } from '../../base/message-of.ts'
import { millisecondsOf } from '../../machinery/go/go-duration.ts'
import type { CronJob, CronJobStatus, Job } from '../../resources/types/batch.ts'
import type { ObjectReference } from '../../resources/types/core.ts'
import type { ObjectEvent } from '../frame/object-events.ts'
import { conditionMet, createdMs } from '../pods/pod-state.ts'
import { parseSchedule, type Schedule } from './schedule.ts'

/** After more missed starts than these something is wrong with the clock or the deadline. As upstream. */
const TOO_MANY = 100
/** The controller comes back so long after a start: clocks differ a little. As upstream. */
const AFTER_START_MS = 100

/** What one round does. */
export interface CronJobPlan {
  /** Finished Jobs beyond the history limits. */
  readonly remove: readonly Job[]
  /** The start to be made now. `replaces`: the active Jobs are deleted first. */
  readonly start: { readonly atMs: number; readonly replaces: boolean } | undefined
  readonly events: readonly ObjectEvent[]
  /** Suspended or being deleted: the schedule is not followed. */
  readonly rests: boolean
}

export interface CronJobView {
  readonly jobs: readonly Job[]
  readonly active: readonly ObjectReference[] | undefined
  readonly nowMs: number
}

/** Pure. */
export function planCronJob(cron: CronJob, { jobs, active = [], nowMs }: CronJobView): CronJobPlan {
  const remove = planHistory(cron, jobs)
  const nothing: CronJobPlan = { remove, start: undefined, events: [], rests: false }
  if (cron.metadata.deletionTimestamp !== undefined || cron.spec.suspend) return { ...nothing, rests: true }
  const due = planDue(cron, nowMs)
  if (due.kind === 'wait') return nothing
  if (due.kind !== 'due') {
    const reason = due.kind === 'invalid' ? 'InvalidSchedule' : 'UnparseableSchedule'
    return { ...nothing, events: [warning(reason, due.message)] }
  }
  const events = due.missedTooMany ? [MISSED_TOO_MANY] : []
  if (cron.spec.concurrencyPolicy === 'Forbid' && active.length > 0) return { ...nothing, events: [...events, ALREADY_ACTIVE] }
  return { ...nothing, events, start: { atMs: due.atMs, replaces: cron.spec.concurrencyPolicy === 'Replace' } }
}

const warning = (reason: string, message: string): ObjectEvent => ({ type: 'Warning', reason, message })
const normal = (reason: string, message: string): ObjectEvent => ({ type: 'Normal', reason, message })
const MISSED_TOO_MANY = warning(
  'TooManyMissedTimes',
  'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
)
const ALREADY_ACTIVE = normal('JobAlreadyActive', 'Not starting job because prior execution is running and concurrency policy is Forbid')

export type DuePlan =
  | { readonly kind: 'wait'; readonly untilMs: number | undefined }
  | { readonly kind: 'due'; readonly atMs: number; readonly missedTooMany: boolean }
  /** The schedule cannot be read, or it never fires. */
  | { readonly kind: 'unparseable' | 'invalid'; readonly message: string }

/** Whether a start is due now, and which: the latest that was not made yet. Pure. */
export function planDue(cron: CronJob, nowMs: number): DuePlan {
  const schedule = scheduleOf(cron)
  if (schedule instanceof Error)
    return { kind: 'unparseable', message: `unparseable schedule: "${cron.spec.schedule}" : ${schedule.message}` }
  const last = Date.parse(cron.status?.lastScheduleTime ?? '') || createdMs(cron)
  const deadline = cron.spec.startingDeadlineSeconds
  const since = deadline === undefined ? last : Math.max(last, nowMs - millisecondsOf(deadline))
  let due: number | undefined
  let missed = 0
  let next = schedule.next(since)
  while (next !== undefined && next <= nowMs) {
    due = next
    missed++
    // After a long stop only the latest start matters: leap towards now.
    next = missed > TOO_MANY && nowMs - next > 2 * DAY_MS ? schedule.next(nowMs - DAY_MS) : schedule.next(next)
  }
  if (due === undefined && next === undefined)
    return {
      kind: 'invalid',
      message: `invalid schedule: ${cron.spec.schedule} : time difference between two schedules is less than 1 second`,
    }
  return due === undefined ? { kind: 'wait', untilMs: next } : { kind: 'due', atMs: due, missedTooMany: missed > TOO_MANY }
}

const DAY_MS = 86_400_000

/** The schedule of each version of an object: it is needed in each round, and may be long. */
const schedules = new WeakMap<CronJob, Schedule | Error>()

function scheduleOf(cron: CronJob): Schedule | Error {
  const schedule = schedules.get(cron) ?? readSchedule(cron)
  schedules.set(cron, schedule)
  return schedule
}

function readSchedule({ spec }: CronJob): Schedule | Error {
  try {
    return parseSchedule(spec.schedule, spec.timeZone ?? 'UTC')
  } catch (error) {
    return errorOf(error)
  }
}

/** Whether the CronJob has another schedule than before. */
export const isRescheduled = (cron: CronJob, old: CronJob | undefined): boolean =>
  old !== undefined && (cron.spec.schedule !== old.spec.schedule || cron.spec.timeZone !== old.spec.timeZone)

/** When the next round is due; undefined if the schedule never fires. Pure. */
export function nextRoundInMs(cron: CronJob, nowMs: number): number | undefined {
  const schedule = scheduleOf(cron)
  const next = schedule instanceof Error ? undefined : schedule.next(nowMs)
  return next === undefined ? undefined : next - nowMs + AFTER_START_MS
}

/** `Complete` or `Failed` for a Job that is over. */
export function outcome(job: Job): 'Complete' | 'Failed' | undefined {
  if (conditionMet(job, 'Complete') !== undefined) return 'Complete'
  return conditionMet(job, 'Failed') === undefined ? undefined : 'Failed'
}

/** Which Jobs still run, and which have ended since the last round. Pure. */
export function takeStock(
  cron: CronJob,
  owned: readonly Job[],
): { readonly status: CronJobStatus; readonly events: readonly ObjectEvent[] } {
  const byUid = new Map(owned.map((j) => [j.metadata.uid, j]))
  const before = cron.status?.active ?? []
  const known = new Set(before.map(({ uid }) => uid))
  const discarded = new Set(planHistory(cron, owned))
  const ended = before.flatMap(({ uid, name }) => {
    const job = byUid.get(uid)
    if (job !== undefined && discarded.has(job)) return []
    if (job === undefined) return [normal('MissingJob', `Active job went missing: ${name}`)]
    const how = outcome(job)
    return how === undefined ? [] : [normal('SawCompletedJob', `Saw completed job: ${name}, condition: ${how}`)]
  })
  const unexpected = owned
    .filter((job) => !known.has(job.metadata.uid) && outcome(job) === undefined)
    .map(({ metadata }) => warning('UnexpectedJob', `Saw a job that the controller did not create or forgot: ${metadata.name}`))
  const active = before.filter(({ uid }) => {
    const job = byUid.get(uid)
    return job !== undefined && outcome(job) === undefined
  })
  const completions = owned.flatMap((job) => (outcome(job) === 'Complete' ? (job.status?.completionTime ?? []) : []))
  const lastSuccessfulTime = [cron.status?.lastSuccessfulTime ?? [], completions].flat().sort().at(-1)
  return {
    status: { ...cron.status, active, ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }) },
    events: [...ended, ...unexpected],
  }
}

/** Finished Jobs beyond the history limits, the oldest first. Pure. */
export function planHistory(cron: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (kind: string, limit: number | undefined) => {
    if (limit === undefined) return []
    const ended = jobs
      .filter((j) => outcome(j) === kind)
      .toSorted((a, b) => startMs(a) - startMs(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    return ended.slice(0, Math.max(0, ended.length - limit))
  }
  return [...beyond('Complete', cron.spec.successfulJobsHistoryLimit), ...beyond('Failed', cron.spec.failedJobsHistoryLimit)]
}

const startMs = (job: Job) => Date.parse(job.status?.startTime ?? '') || createdMs(job)
