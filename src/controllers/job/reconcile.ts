import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { JOBS, PODS } from '../../resources/refs.ts'
import type { Job } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { claimable, controllerOf } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { targetOf } from '../frame/objects.ts'
import { replaceStatus } from '../frame/write-status.ts'
import { claim, planClaims, selectsByLabels } from '../pods/ownership.ts'
import type { PodControl } from '../pods/pod-control.ts'
import type { BackOff } from './back-off.ts'
import { countingSteps } from './counting-steps.ts'
import { actionOf, countedBy, type JobMetrics } from './job-metrics.ts'
import { jobPod } from './job-pod.ts'
import { endingStatus, type JobPlan, planJob } from './plan.ts'
import { isTracked, TRACKING } from './tracking.ts'
import { isOver } from './verdict.ts'

/** What a Job is reconciled with. */
export interface JobDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly events: ObjectEvents
  readonly podControl: PodControl
  readonly pods: Informer<Pod>
  /** Consecutive failures by the Job's uid. After a restart only failures of pods that still exist are known. */
  readonly backOffs: Map<string, BackOff>
  readonly metrics: JobMetrics
}

/** One round: creates pods that are missing, then counts those that have ended. */
export async function reconcileJob(deps: JobDeps, job: Job): Promise<ReconcileResult> {
  const { client, clock, pods } = deps
  if (isManagedElsewhere(job)) return undefined
  const claims = planClaims(job, (p: Pod) => selectsByLabels(job, p), claimable(pods, job))
  const owned = await claim(client, { owner: JOBS, owned: PODS, finalizer: TRACKING }, job, claims)
  if (isOver(job) || job.metadata.deletionTimestamp !== undefined) {
    for (const pod of owned) if (isTracked(pod)) await release(deps, pod)
    if (!isOver(job)) await replaceStatus(client, JOBS, job, endingStatus(job, owned))
    return undefined
  }
  const plan = planJob(job, owned, clock.now(), deps.backOffs.get(job.metadata.uid ?? ''))
  const begun = clock.monotonic()
  let failed = true
  try {
    await carryOut(deps, job, plan)
    failed = false
  } finally {
    deps.metrics.synced(job, actionOf(plan), (clock.monotonic() - begun) / 1000, failed)
  }
  return plan.requeueAfterMs === undefined ? undefined : { requeueAfterMs: plan.requeueAfterMs }
}

async function carryOut(deps: JobDeps, job: Job, plan: JobPlan): Promise<void> {
  const { client, events, podControl, backOffs, metrics } = deps
  await Promise.all(plan.withdraw.map((pod) => withdraw(deps, job, pod)))
  await Promise.all(plan.remove.map((pod) => podControl.remove(job, pod)))
  const { done, error } = await podControl.create(job, plan.create.length, (i) => jobPod(job, plan.create[i] ?? {}))
  let written = job
  for (const { status, release: counted } of countingSteps(withNewPods(plan, done))) {
    const before = written.status
    written = await replaceStatus(client, JOBS, written, status)
    metrics.counted(job, countedBy(status, before))
    for (const condition of status?.conditions ?? [])
      if (isEnd(condition) && !before?.conditions?.some(isEnd)) metrics.finished(job, condition)
    backOffs.set(job.metadata.uid ?? '', plan.backOff)
    await Promise.all(counted.map((pod) => release(deps, pod)))
  }
  for (const event of plan.events) events.about(job, event)
  if (error !== undefined) throw error
}

/** The status counts pods that were just created as active: no second write has to follow. */
const withNewPods = (plan: JobPlan, count: number): JobPlan =>
  count === 0 ? plan : { ...plan, status: { ...plan.status, active: (plan.status.active ?? 0) + count } }

const isEnd = ({ type, status }: { readonly type: string; readonly status: string }) =>
  (type === 'Complete' || type === 'Failed') && status === 'True'

/** The pod is counted: it may be deleted. */
async function release({ client }: JobDeps, pod: Pod): Promise<void> {
  const { uid } = pod.metadata
  const metadata = { ...(uid === undefined ? {} : { uid }), '$deleteFromPrimitiveList/finalizers': [TRACKING] }
  await client.patch(targetOf(PODS, pod), 'strategic', { metadata }).catch(ignoring('NotFound', 'Conflict'))
}

/** Deletes a surplus pod without counting it. */
async function withdraw(deps: JobDeps, job: Job, pod: Pod): Promise<void> {
  if (isTracked(pod)) await release(deps, pod)
  await deps.podControl.remove(job, pod)
}

/** The pods of a deleted Job are not counted any more. */
export async function releaseOrphans(deps: JobDeps, job: Job): Promise<void> {
  const wasOwn = (pod: Pod) => {
    const controller = controllerOf(pod)
    return controller === undefined ? selectsByLabels(job, pod) : controller.uid === job.metadata.uid
  }
  for (const pod of claimable(deps.pods, job))
    if (isTracked(pod) && wasOwn(pod))
      await release(deps, pod).catch((error) =>
        deps.log.warn('the finalizer of a deleted job could not be removed from a pod', { pod: pod.metadata.name, error }),
      )
}

/** `managedBy` may name another controller. */
const isManagedElsewhere = ({ spec: { managedBy } }: Job) => Boolean(managedBy) && managedBy !== 'kubernetes.io/job-controller'
