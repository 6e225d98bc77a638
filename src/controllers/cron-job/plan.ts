import type { KubeObject } from '../../machinery/object.ts'
import { createdMs } from '../pods/pod-state.ts'
import { parseSchedule, type Schedule } from './schedule.ts'

/** More missed starts than these mean that something is wrong with the clock or the deadline. */
const TOO_MANY = 100

export type DuePlan =
  | { readonly kind: 'wait'; readonly untilMs: number | undefined }
  | { readonly kind: 'due'; readonly atMs: number; readonly missedTooMany: boolean }
  /** Nobody understands the schedule, or it never comes. */
  | { readonly kind: 'unparseable' | 'invalid'; readonly message: string }

/** Whether a start is due now, and which: the latest that was not made yet. Pure. */
export function planDue(cron: KubeObject, nowMs: number): DuePlan {
  const schedule = read(cron)
  if (schedule instanceof Error)
    return { kind: 'unparseable', message: `unparseable schedule: "${cron.spec?.schedule}" : ${schedule.message}` }
  const last = Date.parse(cron.status?.lastScheduleTime ?? '') || createdMs(cron)
  const deadline = cron.spec?.startingDeadlineSeconds
  const since = deadline === undefined || deadline === null ? last : Math.max(last, nowMs - deadline * 1000)
  let due: number | undefined
  let missed = 0
  let next = schedule.next(since)
  while (next !== undefined && next <= nowMs) {
    due = next
    missed++
    // After a long stop only the latest start matters: leap towards now.
    next = missed > TOO_MANY && nowMs - next > 2 * 86_400_000 ? schedule.next(nowMs - 86_400_000) : schedule.next(next)
  }
  if (due === undefined && next === undefined)
    return {
      kind: 'invalid',
      message: `invalid schedule: ${cron.spec?.schedule} : time difference between two schedules is less than 1 second`,
    }
  return due === undefined ? { kind: 'wait', untilMs: next } : { kind: 'due', atMs: due, missedTooMany: missed > TOO_MANY }
}

/** What an object's schedule is read as: it is asked for at each look, and may be long. */
const schedules = new WeakMap<KubeObject, Schedule | Error>()

function read(cron: KubeObject): Schedule | Error {
  const known = schedules.get(cron)
  if (known !== undefined) return known
  const schedule = scheduleOf(cron)
  schedules.set(cron, schedule)
  return schedule
}

function scheduleOf(cron: KubeObject): Schedule | Error {
  try {
    return parseSchedule(String(cron.spec?.schedule ?? ''), cron.spec?.timeZone ?? 'UTC')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

export const nextStartMs = (cron: KubeObject, afterMs: number): number | undefined => {
  const schedule = read(cron)
  return schedule instanceof Error ? undefined : schedule.next(afterMs)
}

/** `Complete` or `Failed`, for a job that is over. */
export function outcome(job: KubeObject): 'Complete' | 'Failed' | undefined {
  const met = (type: string) =>
    job.status?.conditions?.some((c: { type: string; status: string }) => c.type === type && c.status === 'True')
  return met('Complete') ? 'Complete' : met('Failed') ? 'Failed' : undefined
}

/** Finished jobs beyond the limits, the oldest first. Pure. */
export function planHistory(cron: KubeObject, jobs: readonly KubeObject[]): readonly KubeObject[] {
  const beyond = (kind: string, limit: number | undefined) => {
    if (limit === undefined) return []
    const ended = jobs
      .filter((j) => outcome(j) === kind)
      .toSorted((a, b) => startMs(a) - startMs(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    return ended.slice(0, Math.max(0, ended.length - limit))
  }
  return [...beyond('Complete', cron.spec?.successfulJobsHistoryLimit), ...beyond('Failed', cron.spec?.failedJobsHistoryLimit)]
}

const startMs = (job: KubeObject) => Date.parse(job.status?.startTime ?? '') || createdMs(job)
