import { timestamp } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { cloneJson, type KubeObject } from '../../machinery/object.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { CRON_JOBS, JOBS } from '../../sdk/client/refs.ts'
import { type ObjectReference, referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { controlledBy, controllerOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { controllerReference, ownerHandler } from '../pods/ownership.ts'
import { nextStartMs, outcome, planDue, planHistory } from './plan.ts'
import { zonedTimestamp } from './schedule.ts'

const NAME = 'cronjob-controller'

/** Starts jobs when they are due, and keeps some of the finished ones. */
export function createCronJobController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const crons = informers.of(CRON_JOBS)
  const jobs = informers.of(JOBS)
  const events = deps.recorder(NAME)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  crons.addHandler({
    added: enqueue,
    updated(cron, old) {
      const changed = cron.spec?.schedule !== old.spec?.schedule || cron.spec?.timeZone !== old.spec?.timeZone
      const next = changed ? nextStartMs(cron, clock.now()) : undefined
      // A new schedule begins with its next start: those before it were never promised.
      if (next === undefined) enqueue(cron)
      else queue.addAfter(objectKey(cron), next - clock.now() + 100)
    },
  })
  jobs.addHandler(ownerHandler('CronJob', queue, () => []))

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const cron = crons.get(key)
    if (cron === undefined) return undefined
    const owned = controlledBy(jobs, cron)
    const status = takeStock(cron, owned)
    for (const job of planHistory(cron, owned)) await remove(cron, job)
    if (cron.metadata.deletionTimestamp !== undefined || cron.spec?.suspend) return writeStatus(cron, status)
    const due = planDue(cron, clock.now())
    if (due.kind === 'unparseable') record(cron, 'Warning', 'UnparseableSchedule', due.message)
    if (due.kind === 'invalid') record(cron, 'Warning', 'InvalidSchedule', due.message)
    if (due.kind === 'due') {
      if (due.missedTooMany)
        record(
          cron,
          'Warning',
          'TooManyMissedTimes',
          'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
        )
      await start(cron, status, due.atMs)
    }
    await writeStatus(cron, status)
    const next = nextStartMs(cron, clock.now())
    return next === undefined ? undefined : { requeueAfterMs: next - clock.now() + 100 }
  }

  interface CronStatus {
    active?: ObjectReference[]
    lastScheduleTime?: string
    lastSuccessfulTime?: string
  }

  /** Which jobs still run, and which have ended since the last look. */
  function takeStock(cron: KubeObject, owned: readonly KubeObject[]): CronStatus {
    const status: CronStatus = cloneJson(cron.status ?? {})
    const byUid = new Map(owned.map((j) => [j.metadata.uid, j]))
    const active: ObjectReference[] = []
    for (const reference of status.active ?? []) {
      const job = byUid.get(reference.uid)
      const ended = job === undefined ? undefined : outcome(job)
      if (job === undefined) record(cron, 'Normal', 'MissingJob', `Active job went missing: ${reference.name}`)
      else if (ended === undefined) active.push(reference)
      else {
        record(cron, 'Normal', 'SawCompletedJob', `Saw completed job: ${reference.name}, condition: ${ended}`)
      }
    }
    for (const job of owned) {
      const known = (cron.status?.active ?? []).some((r: ObjectReference) => r.uid === job.metadata.uid)
      if (!known && outcome(job) === undefined)
        record(cron, 'Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${job.metadata.name}`)
      const completed = job.status?.completionTime
      if (outcome(job) === 'Complete' && completed !== undefined && completed > (status.lastSuccessfulTime ?? ''))
        status.lastSuccessfulTime = completed
    }
    status.active = active
    return status
  }

  async function start(cron: KubeObject, status: CronStatus, atMs: number): Promise<void> {
    const active = status.active ?? []
    if (cron.spec?.concurrencyPolicy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
      record(cron, 'Normal', 'JobAlreadyActive', message)
      return
    }
    if (cron.spec?.concurrencyPolicy === 'Replace') {
      for (const reference of active) await remove(cron, await find(cron, reference))
      status.active = []
    }
    const { namespace = '' } = cron.metadata
    const wanted = jobOf(cron, atMs)
    try {
      const job = await client.create({ ...JOBS, namespace }, wanted)
      record(cron, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`)
      status.active = [...(status.active ?? []), referenceTo(job)]
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) {
        if (!isTerminatingNamespace(error)) record(cron, 'Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`)
        throw error
      }
      // The status was lost, not the job.
      const standing = await client.get({ ...JOBS, namespace, name: wanted.metadata.name ?? '' })
      // Somebody else has taken the name: he sees to the rest.
      if (controllerOf(standing)?.uid !== cron.metadata.uid) return
      if (outcome(standing) === undefined) status.active = [...(status.active ?? []), referenceTo(standing)]
    }
    status.lastScheduleTime = timestamp(atMs)
  }

  /** The job that is to be replaced, as it stands. */
  async function find(cron: KubeObject, { name = '' }: ObjectReference): Promise<KubeObject | undefined> {
    const { namespace = '' } = cron.metadata
    try {
      return await client.get({ ...JOBS, namespace, name })
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined
      record(cron, 'Warning', 'FailedGet', `Get job: ${messageOf(error)}`)
      throw error
    }
  }

  async function remove(cron: KubeObject, job: KubeObject | undefined): Promise<void> {
    if (job === undefined) return
    const { namespace = '', name = '' } = job.metadata
    try {
      await client.delete({ ...JOBS, namespace, name }, { propagationPolicy: 'Background' })
    } catch (error) {
      if (isStatus(error, 'NotFound')) return
      record(cron, 'Warning', 'FailedDelete', `Deleted job: ${messageOf(error)}`)
      throw error
    }
    record(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`)
  }

  async function writeStatus(cron: KubeObject, status: CronStatus): Promise<undefined> {
    const { active = [], ...rest } = status
    const wanted = active.length === 0 ? rest : { active, ...rest }
    if (semanticEqual(wanted, cron.status ?? {})) return undefined
    const { namespace = '', name = '' } = cron.metadata
    await client.update({ ...CRON_JOBS, namespace, name, subresource: 'status' }, { ...cron, status: wanted }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
    return undefined
  }

  function record(cron: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    events.record({ regarding: referenceTo(cron), type, reason, message })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [crons, jobs], reconcile, log })
}

/** The job of one start: its name says which, so that no start is made twice. */
function jobOf(cron: KubeObject, atMs: number): KubeObject {
  const template = cloneJson(cron.spec?.jobTemplate ?? {})
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${cron.metadata.name}-${Math.floor(atMs / 60_000)}`,
      namespace: cron.metadata.namespace ?? '',
      ...(template.metadata?.labels === undefined ? {} : { labels: template.metadata.labels }),
      annotations: {
        ...template.metadata?.annotations,
        'batch.kubernetes.io/cronjob-scheduled-timestamp': zonedTimestamp(atMs, cron.spec?.timeZone ?? 'UTC'),
      },
      ownerReferences: [controllerReference(cron)],
    },
    spec: template.spec,
  }
}
