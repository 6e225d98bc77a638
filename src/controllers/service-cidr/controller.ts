import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { IP_ADDRESSES, SERVICE_CIDRS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { CIDR_FINALIZER, planServiceCidr } from './plan.ts'

/** Makes ranges of service addresses ready, and holds those that are deleted until none of their addresses is in use. */
export function createServiceCidrController({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const ranges = informers.of(SERVICE_CIDRS)
  const addresses = informers.of(IP_ADDRESSES)
  const enqueue = (o: KubeObject) => queue.add(o.metadata.name ?? '')
  // Ranges may lie in one another: what happens to one may free another.
  const enqueueEnding = () => {
    for (const range of ranges.list()) if (range.metadata.deletionTimestamp !== undefined) enqueue(range)
  }
  ranges.addHandler({
    added(range) {
      enqueue(range)
      enqueueEnding()
    },
    updated: enqueue,
  })
  addresses.addHandler({ deleted: enqueueEnding })

  async function reconcile(name: string): Promise<{ requeueAfterMs: number } | undefined> {
    const range = ranges.get(name)
    if (range === undefined) return undefined
    const others = ranges.list().filter((r) => r.metadata.uid !== range.metadata.uid)
    const plan = planServiceCidr(range, others, addresses.list(), clock.now())
    const { finalizers = [], resourceVersion = '' } = range.metadata
    const setFinalizers = (next: readonly string[]) =>
      client.patch({ ...SERVICE_CIDRS, name }, 'merge', { metadata: { finalizers: [...next], resourceVersion } })
    try {
      if (plan.step === 'wait') return { requeueAfterMs: plan.ms }
      if (plan.step === 'protect') await setFinalizers([...finalizers, CIDR_FINALIZER])
      if (plan.step === 'let go') await setFinalizers(finalizers.filter((f) => f !== CIDR_FINALIZER))
      if (plan.step === 'tell') await client.update({ ...SERVICE_CIDRS, name, subresource: 'status' }, { ...range, status: plan.status })
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
    }
    return undefined
  }

  return queueController({ name: 'service-cidr', queue, copies: [ranges, addresses], reconcile, log })
}
