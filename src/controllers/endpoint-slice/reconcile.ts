import { messageOf } from '../../base/message-of.ts'
import type { CounterMetric } from '../../base/metrics.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Node, Pod, Service } from '../../resources/types/core.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { slicesOf } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { setSelectorOf } from '../pods/ownership.ts'
import { MANAGED_BY } from '../services/slice-labels.ts'
import type { TriggerTimes } from '../services/trigger-times.ts'
import { CONTROLLER, type IpFamily, onKnownNodes, planSlices, type SlicesView, zonedEndpoints } from './plan.ts'
import { createSlice, removeSlice, type SliceDeps, updateSlice } from './write-slices.ts'
import { countZones, planZoneHints, wantsZoneHints, type ZoneCounts, zoneShares } from './zone-hints.ts'

/** What the slices of a service are reconciled with. */
export interface EndpointSliceDeps extends SliceDeps {
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly nodes: Informer<Node>
  readonly triggers: TriggerTimes
  /** How many endpoints of each zone the hints of a service and IP family meant: `namespace/name family`. */
  readonly hinted: Map<string, ZoneCounts>
  /** Rounds of services, by their result. */
  readonly syncs: CounterMetric
}

const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6']

const markOf = (service: string, family: IpFamily) => `${service} ${family}`
/** The service's key in a key of `hinted`. */
export const serviceOfMark = (mark: string) => mark.slice(0, mark.indexOf(' '))

export async function reconcileService(deps: EndpointSliceDeps, service: Service): Promise<void> {
  const { events, pods, nodes, triggers } = deps
  if (!service.spec?.selector || service.spec.type === 'ExternalName' || service.metadata.deletionTimestamp !== undefined) return
  const key = objectKey(service)
  const selector = setSelectorOf(service)
  const selected = pods.list(service.metadata.namespace ?? '').filter((p) => selector.matches(p.metadata.labels))
  const { kept, faults } = onKnownNodes(service, selected, (name) => nodes.get(name) !== undefined)
  const trigger = triggers.next(key, service, selected)
  const failure = (await writeSlices(deps, service, { pods: kept, trigger }).catch((error: unknown) => error)) ?? goAggregate(faults)
  deps.syncs.add([failure === undefined ? 'success' : 'error'])
  if (failure === undefined) return
  // A conflict is no news: the round is repeated.
  const message = `Error updating Endpoint Slices for Service ${key}: ${messageOf(failure)}`
  if (!isStatus(failure, 'Conflict')) events.warning(service, 'FailedToUpdateEndpointSlices', message)
  throw failure
}

export function forgetService({ triggers, hinted }: EndpointSliceDeps, key: string): void {
  triggers.forget(key)
  for (const family of FAMILIES) hinted.delete(markOf(key, family))
}

interface Selected {
  readonly pods: readonly Pod[]
  readonly trigger: string | undefined
}

async function writeSlices(deps: EndpointSliceDeps, service: Service, { pods, trigger }: Selected): Promise<undefined> {
  const { nodes, slices } = deps
  const own = slicesOf(slices, service).filter((s) => s.metadata.labels?.[MANAGED_BY] === CONTROLLER)
  const families = (service.spec?.ipFamilies ?? ['IPv4']).flatMap((name) => FAMILIES.filter((family) => family === name))
  for (const slice of own) if (!families.some((family) => family === slice.addressType)) await removeSlice(deps, service, slice)
  const zoneOf = (node: string) => nodes.get(node)?.metadata.labels?.['topology.kubernetes.io/zone']
  for (const addressType of families) {
    const existing = own.filter((s) => s.addressType === addressType)
    const view = { service, pods, addressType, zoneOf }
    const plan = planSlices({ ...view, existing, zoneHints: zoneHints(deps, view) })
    for (const { slice, content } of plan.update) await updateSlice(deps, service, slice, { content, trigger })
    for (const content of plan.create) await createSlice(deps, service, addressType, { content, trigger })
    for (const slice of plan.remove) await removeSlice(deps, service, slice)
  }
}

/** Which zone each pod serves, for services with topology aware hints. Changes are recorded as events. */
function zoneHints(deps: EndpointSliceDeps, view: Omit<SlicesView, 'existing'>): ReadonlyMap<string, string> | undefined {
  const { events, nodes, hinted } = deps
  const { service, addressType } = view
  const mark = markOf(objectKey(service), addressType)
  const disabled = (why: string) => events.warning(service, 'TopologyAwareHintsDisabled', `${why}, addressType: ${addressType}`)
  if (!wantsZoneHints(service)) {
    if (hinted.delete(mark)) disabled('Topology Aware Hints has been disabled')
    return undefined
  }
  const plan = planZoneHints(zonedEndpoints(view), zoneShares(nodes.list()))
  if (plan.kind === 'none') {
    hinted.delete(mark)
    disabled(plan.why)
    return new Map()
  }
  const message = `Topology Aware Hints has been enabled, addressType: ${addressType}`
  if (!hinted.has(mark)) events.normal(service, 'TopologyAwareHintsEnabled', message)
  hinted.set(mark, countZones(plan.zones))
  return plan.zones
}

/** Errors as Go joins them. */
function goAggregate(faults: readonly string[]): Error | undefined {
  if (faults.length === 0) return undefined
  return new Error(faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`)
}
