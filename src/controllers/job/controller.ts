import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { JOBS, PODS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { claimable, controllerOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { claim, ownerHandler, planClaims, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { createPodControl } from '../pods/pod-control.ts'
import type { BackOff } from './back-off.ts'
import { countingSteps } from './counting-steps.ts'
import { jobPod } from './job-pod.ts'
import { endingStatus, planJob } from './plan.ts'
import { isTracked, TRACKING } from './tracking.ts'
import { isOver } from './verdict.ts'

const NAME = 'job-controller'
/** Pods of a job tend to end together: what becomes of the job is decided of all of them, not of the first. */
const PODS_TOGETHER_MS = 100

/** Runs pods until enough have succeeded, or too many failed. */
export function createJobController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const jobs = informers.of(JOBS)
  const pods = informers.of(PODS)
  const events = deps.recorder(NAME)
  const podControl = createPodControl(client, events)
  /** What is known of failures in a row; only pods that still stand tell of it after a restart. */
  const backOffs = new Map<string, BackOff>()
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  jobs.addHandler({ added: enqueue, updated: enqueue })
  jobs.addHandler({
    deleted(job) {
      backOffs.delete(job.metadata.uid ?? '')
      void releaseOrphans(job)
    },
  })
  const soon = { add: (key: string) => queue.addAfter(key, PODS_TOGETHER_MS) }
  pods.addHandler(ownerHandler('Job', soon, selectingOwners(jobs, selectsByLabels)))

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const job = jobs.get(key)
    if (job === undefined || isManagedElsewhere(job)) return undefined
    const owned = await podsOf(job)
    if (isOver(job) || job.metadata.deletionTimestamp !== undefined) {
      for (const pod of owned) if (isTracked(pod)) await release(pod)
      if (!isOver(job)) await writeStatus(job, endingStatus(job, owned))
      return undefined
    }
    const uid = job.metadata.uid ?? ''
    const plan = planJob(job, owned, clock.now(), backOffs.get(uid))
    await Promise.all(plan.withdraw.map((pod) => withdraw(job, pod)))
    await Promise.all(plan.remove.map((pod) => podControl.remove(job, pod)))
    let written = job
    for (const { status, release: counted } of countingSteps(plan)) {
      written = await writeStatus(written, status)
      backOffs.set(uid, plan.backOff)
      await Promise.all(counted.map(release))
    }
    const trouble = await podControl.create(job, plan.create.length, (i) => jobPod(job, plan.create[i] ?? {}))
    for (const news of plan.news) record(job, news.type, news.reason, news.message)
    if (trouble !== undefined) throw trouble
    return plan.againInMs === undefined ? undefined : { requeueAfterMs: plan.againInMs }
  }

  function podsOf(job: KubeObject): Promise<readonly KubeObject[]> {
    return claim(
      client,
      { owner: JOBS, owned: PODS, finalizer: TRACKING },
      job,
      planClaims(job, (p) => selectsByLabels(job, p), claimable(pods, job)),
    )
  }

  /** The pod is counted: it may be deleted. */
  async function release(pod: KubeObject): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    const metadata = { ...(uid === undefined ? {} : { uid }), '$deleteFromPrimitiveList/finalizers': [TRACKING] }
    await client.patch({ ...PODS, namespace, name }, 'strategic', { metadata }).catch((error) => {
      if (!isStatus(error, 'NotFound', 'Conflict')) throw error
    })
  }

  /** The job itself takes the pod away: it is no failure, and not counted. */
  async function withdraw(job: KubeObject, pod: KubeObject): Promise<void> {
    if (isTracked(pod)) await release(pod)
    await podControl.remove(job, pod)
  }

  /** Nobody counts the pods of a job that is gone. */
  async function releaseOrphans(job: KubeObject): Promise<void> {
    for (const pod of claimable(pods, job)) {
      if (
        !isTracked(pod) ||
        (controllerOf(pod)?.uid !== job.metadata.uid && !(controllerOf(pod) === undefined && selectsByLabels(job, pod)))
      )
        continue
      await release(pod).catch((error) => log.warn('a pod of a deleted job could not be let go', { pod: pod.metadata.name, error }))
    }
  }

  async function writeStatus(job: KubeObject, status: KubeObject['status']): Promise<KubeObject> {
    if (semanticEqual(status, job.status)) return job
    const { namespace = '', name = '' } = job.metadata
    return client.update({ ...JOBS, namespace, name, subresource: 'status' }, { ...job, status })
  }

  function record(job: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    events.record({ regarding: referenceTo(job), type, reason, message })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [jobs, pods], reconcile, log })
}

/** Only who is not this controller may manage a job in its place. */
const isManagedElsewhere = (job: KubeObject) => Boolean(job.spec?.managedBy) && job.spec.managedBy !== 'kubernetes.io/job-controller'
