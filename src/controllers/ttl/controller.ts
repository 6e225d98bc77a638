import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { JOBS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { expiresAtMs } from './plan.ts'

const NAME = 'ttl-after-finished-controller'

/**
 * So long a job stays for those who wait for its end, whatever its time: theirs, in Kubernetes, is what it takes until the garbage collector has asked for its pods.
 * helm takes a job that is gone before it has read all of its watch for one that failed.
 */
const SEEN_MS = 500

/** Deletes finished jobs when their time is over. */
export function createTtlController({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const jobs = informers.of(JOBS)
  /** When the end of a job was first seen. */
  const seen = new Map<string, number>()
  const consider = (job: KubeObject) => {
    if (expiresAtMs(job) !== undefined) queue.add(objectKey(job))
  }
  jobs.addHandler({ added: consider, updated: consider })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const job = jobs.get(key)
    const at = job === undefined ? undefined : expiresAtMs(job)
    if (job === undefined || at === undefined) {
      seen.delete(key)
      return undefined
    }
    const now = clock.now()
    const first = seen.get(key) ?? now
    seen.set(key, first)
    const due = Math.max(at, first + SEEN_MS)
    if (due > now) return { requeueAfterMs: due - now }
    seen.delete(key)
    const { namespace = '', name = '', uid, resourceVersion } = job.metadata
    const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
    await client.delete({ ...JOBS, namespace, name }, { propagationPolicy: 'Foreground', preconditions }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
    return undefined
  }

  return queueController({ name: NAME, queue, copies: [jobs], reconcile, log })
}
