import { semanticEqual } from '../../machinery/equal.ts'
import type { Pod, Service } from '../../resources/types/core.ts'
import type { Endpoint, EndpointPort, EndpointSlice } from '../../resources/types/discovery.ts'
import { isFinished, isReady, isTerminating } from '../pods/pod-state.ts'
import { findPort } from '../services/find-port.ts'
import { HEADLESS, headlessLabel, MANAGED_BY, SERVICE_NAME } from '../services/slice-labels.ts'
import { hasPorts, sortedPorts } from '../services/slice-ports.ts'
import type { ZonedEndpoint } from './zone-hints.ts'

export const CONTROLLER = 'endpointslice-controller.k8s.io'
/** As kube-controller-manager's `--max-endpoints-per-slice`. */
const MAX_ENDPOINTS = 100
/** A service has one or two of these families. */
export type IpFamily = 'IPv4' | 'IPv6'

const RESERVED = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS])

function portsOn(service: Service, pod: Pod): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((p): EndpointPort[] => {
    const port = findPort(pod, p)
    if (port === undefined) return []
    return [
      { name: p.name ?? '', port, protocol: p.protocol ?? 'TCP', ...(p.appProtocol === undefined ? {} : { appProtocol: p.appProtocol }) },
    ]
  })
}

interface EndpointFacts {
  readonly service: Service
  readonly pod: Pod
  readonly addresses: readonly string[]
  readonly zone: string | undefined
  readonly zoneHints: ReadonlyMap<string, string> | undefined
}

function endpointOf({ service, pod, addresses, zone, zoneHints }: EndpointFacts): Endpoint {
  const serving = isReady(pod)
  const terminating = isTerminating(pod)
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const named = pod.spec.subdomain === service.metadata.name ? pod.spec.hostname : undefined
  const ready = service.spec?.publishNotReadyAddresses ? true : serving && !terminating
  const near = zoneHints === undefined ? hintsOf(service, pod.spec.nodeName, zone) : forZone(zoneHints.get(uid))
  const hints = ready ? near : undefined
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(named ? { hostname: named } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(zone === undefined ? {} : { zone }),
    ...(hints === undefined ? {} : { hints }),
  }
}

const forZone = (name: string | undefined) => (name === undefined ? undefined : { forZones: [{ name }] })

/** Hints for services whose `trafficDistribution` prefers near endpoints. */
function hintsOf(service: Service, node: string | undefined, zone: string | undefined) {
  const near = service.spec?.trafficDistribution
  const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] }
  const forNodes = near === 'PreferSameNode' && node ? { forNodes: [{ name: node }] } : {}
  const hints = near === undefined ? {} : { ...forZones, ...forNodes }
  return Object.keys(hints).length === 0 ? undefined : hints
}

export interface SlicesView {
  readonly service: Service
  readonly pods: readonly Pod[]
  readonly addressType: IpFamily
  readonly existing: readonly EndpointSlice[]
  readonly zoneOf: (node: string) => string | undefined
  /** The zone that each pod, by uid, serves. Undefined: `trafficDistribution` decides. */
  readonly zoneHints?: ReadonlyMap<string, string> | undefined
}

/** The content of a slice, without its name and owner. */
export interface SliceContent {
  readonly labels: Readonly<Record<string, string>>
  readonly endpoints: readonly Endpoint[]
  readonly ports: readonly EndpointPort[]
}

export interface SlicesPlan {
  readonly create: readonly SliceContent[]
  readonly update: readonly { readonly slice: EndpointSlice; readonly content: SliceContent }[]
  readonly remove: readonly EndpointSlice[]
}

/** Which slices the service should have for one IP family; existing slices are reused. Pure. */
export function planSlices({ existing, ...view }: SlicesView): SlicesPlan {
  const contents = wantedContents(view)
  const free = [...existing]
  const update: { slice: EndpointSlice; content: SliceContent }[] = []
  const create: SliceContent[] = []
  for (const content of contents) {
    const same = free.findIndex((s) => hasPorts(s, content.ports))
    const slice = free.splice(same === -1 ? 0 : same, 1)[0]
    if (slice === undefined) create.push(content)
    else if (!says(slice, content)) update.push({ slice, content: { ...content, endpoints: inOrderOf(slice, content.endpoints) } })
  }
  return { create, update, remove: free }
}

/** Leaves out pods on nodes that do not exist, unless `publishNotReadyAddresses` includes all; `faults` lead to a retry. Pure. */
export function onKnownNodes(
  service: Service,
  pods: readonly Pod[],
  isNode: (name: string) => boolean,
): { readonly kept: readonly Pod[]; readonly faults: readonly string[] } {
  if (service.spec?.publishNotReadyAddresses) return { kept: pods, faults: [] }
  const isLost = ({ spec: { nodeName } }: Pod) => Boolean(nodeName) && !isNode(nodeName ?? '')
  const { namespace, name } = service.metadata
  const faults = pods
    .filter((p) => isLost(p) && !isFinished(p) && (p.status?.podIPs ?? []).length > 0)
    .map((p) => `skipping Pod ${p.metadata.name} for Service ${namespace}/${name}: Node ${p.spec.nodeName} Not Found`)
  return { kept: pods.filter((p) => !isLost(p)), faults }
}

/** The ready endpoints of the service, and their zones. Pure. */
export const zonedEndpoints = (view: Omit<SlicesView, 'existing'>): readonly ZonedEndpoint[] =>
  wantedContents(view).flatMap(({ endpoints }) => endpoints.flatMap((e) => (e.conditions?.ready ? [{ id: uidOf(e), zone: e.zone }] : [])))

function wantedContents({ service, pods, addressType, zoneOf, zoneHints }: Omit<SlicesView, 'existing'>): readonly SliceContent[] {
  const own = Object.fromEntries(Object.entries(service.metadata.labels ?? {}).filter(([k]) => !RESERVED.has(k)))
  const labels = { ...own, [MANAGED_BY]: CONTROLLER, [SERVICE_NAME]: service.metadata.name ?? '', ...headlessLabel(service) }
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>()
  for (const pod of pods) {
    if (isFinished(pod)) continue
    const addresses = (pod.status?.podIPs ?? []).map((a) => a.ip).filter((ip) => ip.includes(':') === (addressType === 'IPv6'))
    if (addresses.length === 0) continue
    const ports = portsOn(service, pod)
    const key = JSON.stringify(ports)
    const group = groups.get(key) ?? { ports: sortedPorts(ports), endpoints: [] }
    group.endpoints.push(endpointOf({ service, pod, addresses, zone: zoneOf(pod.spec.nodeName ?? ''), zoneHints }))
    groups.set(key, group)
  }
  const contents: SliceContent[] = []
  for (const { ports, endpoints } of groups.values())
    for (let at = 0; at < endpoints.length; at += MAX_ENDPOINTS)
      contents.push({ labels, ports, endpoints: endpoints.slice(at, at + MAX_ENDPOINTS) })
  // A service without endpoints has an empty slice.
  return contents.length === 0 ? [{ labels, ports: [], endpoints: [] }] : contents
}

const uidOf = (e: Endpoint) => e.targetRef?.uid ?? ''

function says(slice: EndpointSlice, content: SliceContent): boolean {
  return (
    hasPorts(slice, content.ports) &&
    semanticEqual(slice.metadata.labels, content.labels) &&
    semanticEqual(slice.endpoints ?? [], inOrderOf(slice, content.endpoints))
  )
}

/** Endpoints that the slice has already keep their order: only what changed is written. */
function inOrderOf(slice: EndpointSlice, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const place = new Map((slice.endpoints ?? []).map((e, i) => [uidOf(e), i]))
  return endpoints.toSorted((a, b) => (place.get(uidOf(a)) ?? Number.MAX_SAFE_INTEGER) - (place.get(uidOf(b)) ?? Number.MAX_SAFE_INTEGER))
}
