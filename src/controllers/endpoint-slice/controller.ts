import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { slicesOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { controllerReference, setSelectorOf } from '../pods/ownership.ts'
import { serviceHandler } from '../selected-services.ts'
import {
  type AddressType,
  CONTROLLER,
  MANAGED_BY,
  planSlices,
  SERVICE_NAME,
  type SliceContent,
  TRIGGER_TIME,
  TriggerTimes,
} from './plan.ts'

const NAME = 'endpoint-slice-controller'

/** Tells where the pods of each service are. */
export function createEndpointSliceController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const services = informers.of(SERVICES)
  const pods = informers.of(PODS)
  const nodes = informers.of(NODES)
  const slices = informers.of(ENDPOINT_SLICES)
  const triggers = new TriggerTimes()
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  services.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue })
  pods.addHandler(serviceHandler(services, queue))
  const sliceChanged = (slice: KubeObject) => {
    const service = slice.metadata.labels?.[SERVICE_NAME]
    if (service !== undefined && slice.metadata.labels?.[MANAGED_BY] === CONTROLLER) queue.add(`${slice.metadata.namespace}/${service}`)
  }
  slices.addHandler({ updated: sliceChanged, deleted: sliceChanged })
  const zoneOf = (node: string) => nodes.get(node)?.metadata.labels?.['topology.kubernetes.io/zone']

  async function reconcile(key: string): Promise<void> {
    const service = services.get(key)
    if (service === undefined) triggers.forget(key)
    if (!service?.spec?.selector || service.spec.type === 'ExternalName' || service.metadata.deletionTimestamp !== undefined) return
    const namespace = service.metadata.namespace ?? ''
    const selector = setSelectorOf(service)
    const selected = pods.list(namespace).filter((p) => selector.matches(p.metadata.labels))
    const standing = slicesOf(slices, service).filter((s) => s.metadata.labels?.[MANAGED_BY] === CONTROLLER)
    const trigger = triggers.next(key, service, selected)
    const families: readonly AddressType[] = service.spec.ipFamilies ?? ['IPv4']
    for (const slice of standing) if (!families.includes(slice.addressType)) await remove(slice)
    for (const addressType of families) {
      const mine = standing.filter((s) => s.addressType === addressType)
      const plan = planSlices({ service, pods: selected, addressType, standing: mine, zoneOf })
      for (const { slice, content } of plan.update) await update(slice, content, trigger)
      for (const content of plan.create) await create(service, addressType, content, trigger)
      for (const slice of plan.remove) await remove(slice)
    }
  }

  async function create(service: KubeObject, addressType: AddressType, content: SliceContent, trigger: string | undefined): Promise<void> {
    const { namespace = '', name = '' } = service.metadata
    const metadata = {
      generateName: `${name}-`,
      namespace,
      labels: { ...content.labels },
      ...(trigger === undefined ? {} : { annotations: { [TRIGGER_TIME]: trigger } }),
      ownerReferences: [controllerReference(service)],
    }
    const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, ...lists(content) }
    await client.create({ ...ENDPOINT_SLICES, namespace }, slice).catch((error) => {
      if (!isStatus(error, 'NotFound', 'Forbidden')) throw error
    })
  }

  async function update(slice: KubeObject, content: SliceContent, trigger: string | undefined): Promise<void> {
    const { [TRIGGER_TIME]: _, ...others } = slice.metadata.annotations ?? {}
    const annotations = trigger === undefined ? others : { ...others, [TRIGGER_TIME]: trigger }
    const metadata = { ...slice.metadata, labels: { ...content.labels }, annotations }
    await client.update(targetOf(slice), { ...slice, metadata, ...lists(content) })
  }

  async function remove(slice: KubeObject): Promise<void> {
    await client.delete(targetOf(slice)).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [services, pods, nodes, slices], reconcile, log })
}

const lists = ({ endpoints, ports }: SliceContent) => ({
  endpoints: endpoints.length === 0 ? null : endpoints.map((e) => ({ ...e })),
  ports: ports.length === 0 ? null : ports.map((p) => ({ ...p })),
})

const targetOf = (o: KubeObject) => ({ ...ENDPOINT_SLICES, namespace: o.metadata.namespace ?? '', name: o.metadata.name ?? '' })
