import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { MANAGED_BY, SERVICE_NAME } from '../endpoint-slice/plan.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { slicesOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { controllerReference } from '../pods/ownership.ts'
import { isMirrored, MIRRORED_BY, type MirrorContent, planMirror } from './plan.ts'

const NAME = 'endpoint-slice-mirroring-controller'

/** Shows endpoints that somebody writes for a service without a selector as slices, which is where everybody looks. */
export function createEndpointSliceMirroringController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const services = informers.of(SERVICES)
  const endpoints = informers.of(ENDPOINTS)
  const slices = informers.of(ENDPOINT_SLICES)
  const events = deps.recorder(NAME)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  services.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue })
  endpoints.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue })
  const sliceChanged = (slice: KubeObject) => {
    if (isOurs(slice)) queue.add(`${slice.metadata.namespace}/${slice.metadata.labels?.[SERVICE_NAME]}`)
  }
  slices.addHandler({ updated: sliceChanged, deleted: sliceChanged })

  async function reconcile(key: string): Promise<void> {
    const service = services.get(key)
    const found = endpoints.get(key)
    const wanted = service !== undefined && !service.spec?.selector && found !== undefined && isMirrored(found) ? found : undefined
    const subject = found ?? service
    if (subject === undefined) return removeAll(key)
    const plan = planMirror(wanted, slicesOf(slices, subject).filter(isOurs))
    if (wanted !== undefined && plan.skipped > 0) {
      const message = `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${plan.skipped} addresses were skipped`
      events.record({ regarding: referenceTo(wanted), type: 'Warning', reason: 'TooManyAddressesToMirror', message })
    }
    if (wanted !== undefined) for (const content of plan.create) await create(wanted, content)
    for (const { slice, content } of plan.update) await update(slice, content)
    for (const slice of plan.remove) await remove(slice)
  }

  async function removeAll(key: string): Promise<void> {
    for (const slice of slices.byIndex('service', key)) if (isOurs(slice)) await remove(slice)
  }

  async function create(owner: KubeObject, content: MirrorContent): Promise<void> {
    const { namespace = '', name = '' } = owner.metadata
    const { labels, annotations, addressType } = content
    const metadata = {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(owner)],
    }
    const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, ...lists(content) }
    await client.create({ ...ENDPOINT_SLICES, namespace }, slice).catch((error) => {
      if (!isStatus(error, 'NotFound', 'Forbidden')) throw error
    })
  }

  async function update(slice: KubeObject, content: MirrorContent): Promise<void> {
    // What is written is a whole new slice under the old name: it does not say what that was made from.
    const { generateName: _, ...kept } = slice.metadata
    const metadata = { ...kept, labels: { ...content.labels }, annotations: { ...content.annotations } }
    await client.update(targetOf(slice), { ...slice, metadata, ...lists(content) })
  }

  async function remove(slice: KubeObject): Promise<void> {
    await client.delete(targetOf(slice)).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [services, endpoints, slices], reconcile, log })
}

const isOurs = (slice: KubeObject) => slice.metadata.labels?.[MANAGED_BY] === MIRRORED_BY
const targetOf = (o: KubeObject) => ({ ...ENDPOINT_SLICES, namespace: o.metadata.namespace ?? '', name: o.metadata.name ?? '' })
const lists = ({ endpoints, ports }: MirrorContent) => ({
  endpoints: endpoints.map((e) => ({ ...e })) as JsonObject[],
  ports: ports.map((p) => ({ ...p })) as JsonObject[],
})
