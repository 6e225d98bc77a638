import { JOBS, PODS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { ownerHandler, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { createPodControl } from '../pods/pod-control.ts'
import type { BackOff } from './back-off.ts'
import { createJobMetrics } from './job-metrics.ts'
import { reconcileJob, releaseOrphans } from './reconcile.ts'

const NAME = 'job-controller'
/** Pods of a Job tend to end together: the Job is decided on when all of them have, not at the first. */
const BATCH_PODS_MS = 100
/** As upstream. Each try whose pods are refused has an event: a Job that cannot go on should not fill its list. */
const RETRY = { firstMs: 1000, maxMs: 60_000 } as const

/** Runs pods until enough have succeeded, or too many failed. */
export const createController = defineController({
  name: NAME,
  for: JOBS,
  workers: 5,
  retry: RETRY,
  deps({ client, clock, informers, events: eventsOf, log, metrics }) {
    const events = eventsOf(NAME)
    const backOffs = new Map<string, BackOff>()
    const podControl = createPodControl(client, events)
    return { client, clock, log, events, podControl, pods: informers.of(PODS), backOffs, metrics: createJobMetrics(metrics) }
  },
  watch(deps, keys, jobs) {
    jobs.addHandler({
      deleted(job) {
        deps.backOffs.delete(job.metadata.uid ?? '')
        void releaseOrphans(deps, job)
      },
    })
    const soon = { add: (key: string) => void keys.addAfter(key, BATCH_PODS_MS) }
    deps.pods.addHandler(ownerHandler('Job', soon, selectingOwners(jobs, selectsByLabels)))
  },
  reconcile: reconcileJob,
})
