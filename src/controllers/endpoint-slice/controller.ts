import { messageOf } from '../../base/message-of.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
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
  onKnownNodes,
  planSlices,
  SERVICE_NAME,
  type SliceContent,
  TRIGGER_TIME,
  TriggerTimes,
  zonedEndpoints,
} from './plan.ts'
import { partOf, planZoneHints, wantsZoneHints, zoneShares } from './zone-hints.ts'

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
  const events = deps.recorder(NAME)
  /** Services whose slices say which zone is served by whom: `namespace/name family`. */
  const hinted = new Set<string>()
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  services.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue })
  pods.addHandler(serviceHandler(services, queue))
  const sliceChanged = (slice: KubeObject) => {
    const service = slice.metadata.labels?.[SERVICE_NAME]
    if (service !== undefined && slice.metadata.labels?.[MANAGED_BY] === CONTROLLER) queue.add(`${slice.metadata.namespace}/${service}`)
  }
  slices.addHandler({ updated: sliceChanged, deleted: sliceChanged })
  const nodeChanged = () => {
    if (services.size > 0) for (const service of services.list()) if (wantsZoneHints(service)) enqueue(service)
  }
  nodes.addHandler({
    added: nodeChanged,
    updated: (node, old) => {
      if (!semanticEqual(partOf(node), partOf(old))) nodeChanged()
    },
    deleted: nodeChanged,
  })
  const zoneOf = (node: string) => nodes.get(node)?.metadata.labels?.['topology.kubernetes.io/zone']

  async function reconcile(key: string): Promise<void> {
    const service = services.get(key)
    if (service === undefined) {
      triggers.forget(key)
      for (const family of ['IPv4', 'IPv6']) hinted.delete(`${key} ${family}`)
    }
    if (!service?.spec?.selector || service.spec.type === 'ExternalName' || service.metadata.deletionTimestamp !== undefined) return
    const namespace = service.metadata.namespace ?? ''
    const selector = setSelectorOf(service)
    const selected = pods.list(namespace).filter((p) => selector.matches(p.metadata.labels))
    const { kept, faults } = onKnownNodes(service, selected, (name) => nodes.get(name) !== undefined)
    const trigger = triggers.next(key, service, selected)
    const fault = (await follow(service, { key, selected: kept, trigger }).catch(errorOf)) ?? goAggregate(faults)
    if (fault === undefined) return
    // That somebody else wrote first is no news.
    const message = `Error updating Endpoint Slices for Service ${key}: ${messageOf(fault)}`
    if (!isStatus(fault, 'Conflict'))
      events.record({ regarding: referenceTo(service), type: 'Warning', reason: 'FailedToUpdateEndpointSlices', message })
    throw fault
  }

  interface Followed {
    readonly key: string
    readonly selected: readonly KubeObject[]
    readonly trigger: string | undefined
  }

  /** Makes the slices say where the pods are. */
  async function follow(service: KubeObject, { key, selected, trigger }: Followed): Promise<undefined> {
    const standing = slicesOf(slices, service).filter((s) => s.metadata.labels?.[MANAGED_BY] === CONTROLLER)
    const families: readonly AddressType[] = service.spec?.ipFamilies ?? ['IPv4']
    for (const slice of standing) if (!families.includes(slice.addressType)) await remove(service, slice)
    for (const addressType of families) {
      const mine = standing.filter((s) => s.addressType === addressType)
      const view = { service, pods: selected, addressType, zoneOf }
      const plan = planSlices({ ...view, standing: mine, zoneHints: zoneHints(key, view) })
      for (const { slice, content } of plan.update) await update(service, slice, { content, trigger })
      for (const content of plan.create) await create(service, addressType, { content, trigger })
      for (const slice of plan.remove) await remove(service, slice)
    }
  }

  /** Which zone is served by whom, where the service wants that; what has changed in that is told. */
  function zoneHints(key: string, view: Parameters<typeof zonedEndpoints>[0]): ReadonlyMap<string, string> | undefined {
    const { service, addressType } = view
    const mark = `${key} ${addressType}`
    const say = (type: 'Normal' | 'Warning', reason: string, what: string) =>
      events.record({ regarding: referenceTo(service), type, reason, message: `${what}, addressType: ${addressType}` })
    if (!wantsZoneHints(service)) {
      if (hinted.delete(mark)) say('Warning', 'TopologyAwareHintsDisabled', 'Topology Aware Hints has been disabled')
      return undefined
    }
    const plan = planZoneHints(zonedEndpoints(view), zoneShares(nodes.list()))
    if (plan.kind === 'none') {
      hinted.delete(mark)
      say('Warning', 'TopologyAwareHintsDisabled', plan.why)
      return new Map()
    }
    if (!hinted.has(mark)) say('Normal', 'TopologyAwareHintsEnabled', 'Topology Aware Hints has been enabled')
    hinted.add(mark)
    return plan.zones
  }

  interface Wanted {
    readonly content: SliceContent
    readonly trigger: string | undefined
  }

  async function create(service: KubeObject, addressType: AddressType, { content, trigger }: Wanted): Promise<void> {
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
      if (isStatus(error, 'NotFound') || isTerminatingNamespace(error)) return
      throw failed('create EndpointSlice', service, error)
    })
  }

  async function update(service: KubeObject, slice: KubeObject, { content, trigger }: Wanted): Promise<void> {
    const { [TRIGGER_TIME]: _, ...others } = slice.metadata.annotations ?? {}
    const annotations = trigger === undefined ? others : { ...others, [TRIGGER_TIME]: trigger }
    const metadata = { ...slice.metadata, labels: { ...content.labels }, annotations }
    await client.update(targetOf(slice), { ...slice, metadata, ...lists(content) }).catch((error) => {
      throw failed(`update ${slice.metadata.name} EndpointSlice`, service, error)
    })
  }

  async function remove(service: KubeObject, slice: KubeObject): Promise<void> {
    await client.delete(targetOf(slice)).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw failed(`delete ${slice.metadata.name} EndpointSlice`, service, error)
    })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [services, pods, nodes, slices], reconcile, log })
}

const lists = ({ endpoints, ports }: SliceContent) => ({
  endpoints: endpoints.length === 0 ? null : endpoints.map((e) => ({ ...e })),
  ports: ports.length === 0 ? null : ports.map((p) => ({ ...p })),
})

const targetOf = (o: KubeObject) => ({ ...ENDPOINT_SLICES, namespace: o.metadata.namespace ?? '', name: o.metadata.name ?? '' })

const errorOf = (error: unknown): unknown => error

/** A write that was overtaken stays what it is: it is tried again, and nobody hears of it. */
const failed = (what: string, { metadata: { namespace, name } }: KubeObject, error: unknown): unknown =>
  isStatus(error, 'Conflict')
    ? error
    : new Error(`failed to ${what} for Service ${namespace}/${name}: ${messageOf(error)}`, { cause: error })

/** Errors as Go joins them. */
function goAggregate(faults: readonly string[]): Error | undefined {
  if (faults.length === 0) return undefined
  return new Error(faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`)
}
