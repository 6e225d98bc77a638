import { ignoring } from '../../machinery/ignoring.ts'
import { IP_ADDRESSES, SERVICE_CIDRS } from '../../resources/refs.ts'
import type { Condition } from '../../resources/types/meta.ts'
import type { ServiceCIDR } from '../../resources/types/networking.ts'
import type { Client } from '../../sdk/client/client.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { targetOf } from '../frame/objects.ts'
import { planServiceCidr } from './plan.ts'

const MANAGER = 'service-cidr-controller'

/** Marks ranges of service addresses as ready, and protects those that are deleted while their addresses are in use. */
export const createController = defineController({
  name: 'service-cidr',
  for: SERVICE_CIDRS,
  deps: ({ client, clock, informers }) => ({
    client,
    clock,
    ranges: informers.of(SERVICE_CIDRS),
    addresses: informers.of(IP_ADDRESSES),
  }),
  watch({ ranges, addresses }, keys) {
    // Ranges may overlap: a new one, or an address that goes, may release another one.
    const enqueueTerminating = () => {
      for (const range of ranges.list()) if (range.metadata.deletionTimestamp !== undefined) keys.add(objectKey(range))
    }
    ranges.addHandler({ added: enqueueTerminating })
    addresses.addHandler({ deleted: enqueueTerminating })
  },
  async reconcile({ client, clock, ranges, addresses }, range) {
    const others = ranges.list().filter((r) => r.metadata.uid !== range.metadata.uid)
    const plan = planServiceCidr(range, others, addresses.list(), clock.now())
    switch (plan.step) {
      case 'wait':
        return { requeueAfterMs: plan.ms }
      case 'set-finalizers':
        await setFinalizers(client, range, plan.finalizers)
        return undefined
      case 'report':
        await applyCondition(client, range, plan.condition)
        return undefined
      case 'nothing':
        return undefined
    }
  },
})

async function applyCondition(client: Client, range: ServiceCIDR, condition: Condition): Promise<void> {
  const body = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: range.metadata.name },
    status: { conditions: [condition] },
  }
  await client
    .patch({ ...targetOf(SERVICE_CIDRS, range), subresource: 'status' }, 'apply', body, { fieldManager: MANAGER, force: true })
    .catch(ignoring('NotFound'))
}

async function setFinalizers(client: Client, range: ServiceCIDR, finalizers: readonly string[]): Promise<void> {
  const { resourceVersion = '' } = range.metadata
  await client
    .patch(targetOf(SERVICE_CIDRS, range), 'merge', { metadata: { finalizers: [...finalizers], resourceVersion } })
    .catch(ignoring('NotFound'))
}
