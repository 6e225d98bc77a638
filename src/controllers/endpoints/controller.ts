import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { ENDPOINTS, PODS, SERVICES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { HEADLESS, headlessLabel, TRIGGER_TIME, TriggerTimes } from '../endpoint-slice/plan.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { setSelectorOf } from '../pods/ownership.ts'
import { serviceHandler } from '../selected-services.ts'
import { planSubsets, truncateSubsets } from './plan.ts'

const NAME = 'endpoint-controller'
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by'

/** On an object that says less than there is. */
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity'

/** Keeps the Endpoints objects, for those who still read them. */
export function createEndpointsController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const services = informers.of(SERVICES)
  const pods = informers.of(PODS)
  const endpoints = informers.of(ENDPOINTS)
  const triggers = new TriggerTimes()
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  services.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue })
  // What somebody writes into one stands until the service or its pods change. Those that an earlier life of this controller left are looked at.
  endpoints.addHandler({ added: (o) => isOwn(o) && enqueue(o), deleted: enqueue })
  pods.addHandler(serviceHandler(services, queue))

  async function reconcile(key: string): Promise<void> {
    const service = services.get(key)
    const standing = endpoints.get(key)
    if (service === undefined) {
      triggers.forget(key)
      // The service has gone, and its endpoints with it, whoever wrote them.
      if (standing !== undefined) await remove(standing)
      return
    }
    if (!service.spec?.selector || service.spec.type === 'ExternalName' || service.metadata.deletionTimestamp !== undefined) return
    const { namespace = '', name = '' } = service.metadata
    const selector = setSelectorOf(service)
    const selected = pods.list(namespace).filter((p) => selector.matches(p.metadata.labels))
    const { subsets, truncated } = truncateSubsets(planSubsets(service, selected))
    const { [HEADLESS]: _, ...own } = service.metadata.labels ?? {}
    const labels = { ...own, [MANAGED_BY]: NAME, ...headlessLabel(service) }
    const trigger = triggers.next(key, service, selected)
    const told = (standing?.metadata.annotations?.[OVER_CAPACITY] === 'truncated') === truncated
    const same = semanticEqual(standing?.subsets, subsets) && semanticEqual(standing?.metadata.labels, labels)
    if (standing !== undefined && told && same) return
    const { [TRIGGER_TIME]: __, [OVER_CAPACITY]: ____, ...others } = standing?.metadata.annotations ?? {}
    const annotations = {
      ...others,
      ...(trigger !== undefined && { [TRIGGER_TIME]: trigger }),
      ...(truncated && { [OVER_CAPACITY]: 'truncated' }),
    }
    const metadata = { ...standing?.metadata, name, namespace, labels, annotations }
    const { annotations: ___, ...bare } = metadata
    const wanted = {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: Object.keys(annotations).length === 0 ? bare : metadata,
      ...(subsets.length === 0 ? {} : { subsets }),
    }
    const write =
      standing === undefined ? client.create({ ...ENDPOINTS, namespace }, wanted) : client.update({ ...ENDPOINTS, namespace, name }, wanted)
    await write.catch((error) => {
      if (!isStatus(error, 'NotFound', 'Forbidden', 'AlreadyExists')) throw error
    })
  }

  async function remove(standing: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = standing.metadata
    await client.delete({ ...ENDPOINTS, namespace, name }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [services, pods, endpoints], reconcile, log })
}

const isOwn = (o: KubeObject) => o.metadata.labels?.[MANAGED_BY] === NAME
