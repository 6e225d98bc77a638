import type { Clock } from '../../base/clock.ts'
import { timestamp } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import type { HistogramMetric } from '../../base/metrics.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { CRON_JOBS, JOBS } from '../../resources/refs.ts'
import type { CronJob, CronJobStatus, Job } from '../../resources/types/batch.ts'
import type { ObjectReference } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { controlledBy, controllerOf } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { createObject, targetOf } from '../frame/objects.ts'
import { writeStatus } from '../frame/write-status.ts'
import { jobOf } from './job-of.ts'
import { nextRoundInMs, outcome, planCronJob, takeStock } from './plan.ts'

/** What a CronJob is reconciled with. */
export interface CronJobDeps {
  readonly client: Client
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly jobs: Informer<Job>
  /** From the time of a Job until it was created, in seconds. */
  readonly skews: HistogramMetric
}

/** One round: notices what became of running Jobs, deletes old ones, and creates the Job that is due. */
export async function reconcileCronJob(deps: CronJobDeps, cron: CronJob): Promise<ReconcileResult> {
  const { client, clock, events, jobs } = deps
  const owned = controlledBy(jobs, cron)
  const stock = takeStock(cron, owned)
  const plan = planCronJob(cron, { jobs: owned, active: stock.status.active, nowMs: clock.now() })
  for (const event of stock.events) events.about(cron, event)
  for (const job of plan.remove) await remove(deps, cron, job)
  for (const event of plan.events) events.about(cron, event)
  const status = plan.start === undefined ? stock.status : await start(deps, cron, stock.status, plan.start)
  const { active = [], ...times } = status
  await writeStatus(client, CRON_JOBS, cron, active.length === 0 ? times : status)
  if (plan.rests) return undefined
  const requeueAfterMs = nextRoundInMs(cron, clock.now())
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs }
}

/** Starts the Job of a time; resolves with the status after it. */
async function start(
  deps: CronJobDeps,
  cron: CronJob,
  status: CronJobStatus,
  { atMs, replaces }: { readonly atMs: number; readonly replaces: boolean },
): Promise<CronJobStatus> {
  const active = status.active ?? []
  if (replaces) for (const reference of active) await remove(deps, cron, await currentJob(deps, cron, reference))
  const started = await createJob(deps, cron, jobOf(cron, atMs))
  if (started !== 'foreign') deps.skews.observe(Math.max(0, deps.clock.now() - atMs) / 1000)
  if (started === 'foreign') return { ...status, active: replaces ? [] : active }
  const running = outcome(started) === undefined ? [referenceTo(started)] : []
  return { ...status, active: [...(replaces ? [] : active), ...running], lastScheduleTime: timestamp(atMs) }
}

/** The Job of this name, which an earlier round may have created before its status was lost; `foreign`: another owner has the name. */
async function createJob({ client, events }: CronJobDeps, cron: CronJob, wanted: Job): Promise<Job | 'foreign'> {
  try {
    const job = await createObject(client, JOBS, wanted)
    events.normal(cron, 'SuccessfulCreate', `Created job ${job.metadata.name}`)
    return job
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) {
      if (!isTerminatingNamespace(error)) events.warning(cron, 'FailedCreate', `Error creating job: ${messageOf(error)}`)
      throw error
    }
    const existing = await client.get<Job>(targetOf(JOBS, wanted))
    return controllerOf(existing)?.uid === cron.metadata.uid ? existing : 'foreign'
  }
}

/** The Job that is to be replaced, read from the server. */
async function currentJob({ client, events }: CronJobDeps, cron: CronJob, { name = '' }: ObjectReference): Promise<Job | undefined> {
  const { namespace = '' } = cron.metadata
  try {
    return await client.get<Job>({ ...JOBS, namespace, name })
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined
    events.warning(cron, 'FailedGet', `Get job: ${messageOf(error)}`)
    throw error
  }
}

async function remove({ client, events }: CronJobDeps, cron: CronJob, job: Job | undefined): Promise<void> {
  if (job === undefined) return
  try {
    await client.delete(targetOf(JOBS, job), { propagationPolicy: 'Background' })
  } catch (error) {
    if (isStatus(error, 'NotFound')) return
    events.warning(cron, 'FailedDelete', `Deleted job: ${messageOf(error)}`)
    throw error
  }
  events.normal(cron, 'SuccessfulDelete', `Deleted job ${job.metadata.name}`)
}
