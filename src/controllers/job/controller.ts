import { semanticEqual } from '../../machinery/equal.ts'
import { compileLabelSelector } from '../../machinery/label-selector.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { JOBS, PODS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../controller.ts'
import { claim, controllerOf, ownerHandler, planClaims, selectingOwners } from '../ownership.ts'
import { podFromTemplate } from '../pod-from-template.ts'
import { slowStart } from '../slow-start.ts'
import { INDEX, isIndexed, isOver, isTracked, planJob, TRACKING } from './plan.ts'

const NAME = 'job-controller'

/** Runs pods until enough have succeeded, or too many failed. */
export function createJobController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const jobs = informers.of(JOBS)
  const pods = informers.of(PODS)
  const events = deps.recorder(NAME)
  const selects = (job: KubeObject, pod: KubeObject) => compileLabelSelector(job.spec?.selector).matches(pod.metadata.labels)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  jobs.addHandler({ added: enqueue, updated: enqueue })
  jobs.addHandler({ deleted: (job) => void releaseOrphans(job) })
  pods.addHandler(ownerHandler('Job', queue, selectingOwners(jobs, selects)))

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const job = jobs.get(key)
    if (job === undefined || job.spec?.managedBy) return undefined
    const owned = await ownedPods(job)
    if (isOver(job) || job.metadata.deletionTimestamp !== undefined) {
      for (const pod of owned) if (isTracked(pod)) await release(pod)
      return undefined
    }
    const plan = planJob(job, owned, clock.now())
    for (const pod of plan.remove) await remove(job, pod)
    await writeStatus(job, plan.status)
    for (const news of plan.news) say(job, news.type, news.reason, news.message)
    for (const pod of plan.release) await release(pod)
    const trouble = await create(job, plan.create.count, plan.create.indexes)
    if (trouble !== undefined) throw trouble
    return plan.againInMs === undefined ? undefined : { requeueAfterMs: plan.againInMs }
  }

  function ownedPods(job: KubeObject): Promise<readonly KubeObject[]> {
    return claim(
      client,
      { owner: JOBS, owned: PODS },
      job,
      planClaims(job, (p) => selects(job, p), pods.list(job.metadata.namespace ?? '')),
    )
  }

  async function create(job: KubeObject, count: number, indexes: readonly number[] | undefined): Promise<unknown> {
    const namespace = job.metadata.namespace ?? ''
    const { error } = await slowStart(count, async (i) => {
      try {
        const pod = await client.create({ ...PODS, namespace }, jobPod(job, isIndexed(job) ? indexes?.[i] : undefined))
        say(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`)
      } catch (failure) {
        if (failure instanceof Error && failure.message.includes('because it is being terminated')) return
        say(job, 'Warning', 'FailedCreate', `Error creating: ${failure instanceof Error ? failure.message : failure}`)
        throw failure
      }
    })
    return error
  }

  async function remove(job: KubeObject, pod: KubeObject): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    try {
      await client.delete({ ...PODS, namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
      say(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
    }
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
    for (const pod of pods.list(job.metadata.namespace ?? '')) {
      if (!isTracked(pod) || (controllerOf(pod)?.uid !== job.metadata.uid && !(controllerOf(pod) === undefined && selects(job, pod))))
        continue
      await release(pod).catch((error) => log.warn('a pod of a deleted job could not be let go', { pod: pod.metadata.name, error }))
    }
  }

  async function writeStatus(job: KubeObject, status: KubeObject['status']): Promise<void> {
    if (semanticEqual(status, job.status)) return
    const { namespace = '', name = '' } = job.metadata
    await client.update({ ...JOBS, namespace, name, subresource: 'status' }, { ...job, status })
  }

  function say(job: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    events.record({ regarding: referenceTo(job), type, reason, message })
  }

  return {
    name: NAME,
    run: (signal) => runController({ name: NAME, queue, workers: 5, ready: [jobs.synced, pods.synced], reconcile, log }, signal),
  }
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
