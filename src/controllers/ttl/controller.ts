import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { JOBS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { expiresAtMs } from './plan.ts'

const NAME = 'ttl-after-finished-controller'

/** Deletes finished jobs when their time is over. */
export function createTtlController({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const jobs = informers.of(JOBS)
  const consider = (job: KubeObject) => {
    if (expiresAtMs(job) !== undefined) queue.add(objectKey(job))
  }
  jobs.addHandler({ added: consider, updated: consider })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const job = jobs.get(key)
    const at = job === undefined ? undefined : expiresAtMs(job)
    if (job === undefined || at === undefined) return undefined
    if (at > clock.now()) return { requeueAfterMs: at - clock.now() }
    const { namespace = '', name = '', uid, resourceVersion } = job.metadata
    const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
    await client.delete({ ...JOBS, namespace, name }, { propagationPolicy: 'Foreground', preconditions }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
    return undefined
  }

  return queueController({ name: NAME, queue, copies: [jobs], reconcile, log })
}
