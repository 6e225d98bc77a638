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
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { INDEX, isIndexed, isOver, isTracked, planJob, TRACKING } from './plan.ts'

const NAME = 'job-controller'

/** Runs pods until enough have succeeded, or too many failed. */
export function createJobController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const jobs = informers.of(JOBS)
  const pods = informers.of(PODS)
  const events = deps.recorder(NAME)
  const podControl = createPodControl(client, events)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  jobs.addHandler({ added: enqueue, updated: enqueue })
  jobs.addHandler({ deleted: (job) => void releaseOrphans(job) })
  pods.addHandler(ownerHandler('Job', queue, selectingOwners(jobs, selectsByLabels)))

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const job = jobs.get(key)
    if (job === undefined || job.spec?.managedBy) return undefined
    const owned = await podsOf(job)
    if (isOver(job) || job.metadata.deletionTimestamp !== undefined) {
      for (const pod of owned) if (isTracked(pod)) await release(pod)
      return undefined
    }
    const plan = planJob(job, owned, clock.now())
    for (const pod of plan.remove) await podControl.remove(job, pod)
    await writeStatus(job, plan.status)
    for (const news of plan.news) record(job, news.type, news.reason, news.message)
    for (const pod of plan.release) await release(pod)
    const { count, indexes } = plan.create
    const trouble = await podControl.create(job, count, (i) => jobPod(job, isIndexed(job) ? indexes?.[i] : undefined))
    if (trouble !== undefined) throw trouble
    return plan.againInMs === undefined ? undefined : { requeueAfterMs: plan.againInMs }
  }

  function podsOf(job: KubeObject): Promise<readonly KubeObject[]> {
    return claim(
      client,
      { owner: JOBS, owned: PODS },
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

  async function writeStatus(job: KubeObject, status: KubeObject['status']): Promise<void> {
    if (semanticEqual(status, job.status)) return
    const { namespace = '', name = '' } = job.metadata
    await client.update({ ...JOBS, namespace, name, subresource: 'status' }, { ...job, status })
  }

  function record(job: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    events.record({ regarding: referenceTo(job), type, reason, message })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [jobs, pods], reconcile, log })
}

/** A pod of the job; with an index, it is told which. */
function jobPod(job: KubeObject, index: number | undefined): KubeObject {
  const pod = podFromTemplate(job, job.spec?.template ?? {})
  pod.metadata.finalizers = [...(pod.metadata.finalizers ?? []), TRACKING]
  if (index === undefined) return pod
  pod.metadata.generateName = `${job.metadata.name}-${index}-`
  pod.metadata.annotations = { ...pod.metadata.annotations, [INDEX]: String(index) }
  pod.metadata.labels = { ...pod.metadata.labels, [INDEX]: String(index) }
  pod.spec.hostname = `${job.metadata.name}-${index}`
  const variable = { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } } }
  for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])])
    if (!container.env?.some((e: { name: string }) => e.name === variable.name)) container.env = [...(container.env ?? []), variable]
  return pod
}
