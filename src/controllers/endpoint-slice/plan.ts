import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { conditionOf, isFinished, isReady, isTerminating } from '../pods/pod-state.ts'
import type { ZonedEndpoint } from './zone-hints.ts'

export const SERVICE_NAME = 'kubernetes.io/service-name'
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
export const CONTROLLER = 'endpointslice-controller.k8s.io'
export const HEADLESS = 'service.kubernetes.io/headless'
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'
/** As kube-controller-manager's `--max-endpoints-per-slice`. */
const MAX_ENDPOINTS = 100
const RESERVED = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS])

export type AddressType = 'IPv4' | 'IPv6'

interface ServicePort {
  readonly name?: string
  readonly protocol?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly appProtocol?: string
}

interface EndpointPort {
  readonly name: string
  readonly port?: number
  readonly protocol: string
  readonly appProtocol?: string
}

/** The number that a port of the service has on the pod; undefined where the pod has no such port. */
export function findPort(pod: KubeObject, port: ServicePort): number | undefined {
  const target = port.targetPort ?? port.port
  if (typeof target === 'number') return target === 0 ? port.port : target
  const sidecars = (pod.spec?.initContainers ?? []).filter((c: { restartPolicy?: string }) => c.restartPolicy === 'Always')
  for (const container of [...(pod.spec?.containers ?? []), ...sidecars])
    for (const p of container.ports ?? [])
      if (p.name === target && (p.protocol ?? 'TCP') === (port.protocol ?? 'TCP')) return p.containerPort
  return undefined
}

export const isHeadless = (service: KubeObject): boolean => service.spec?.clusterIP === 'None'

/** The label by which a service shows that it has no address. */
export const headlessLabel = (service: KubeObject): Record<string, string> => (isHeadless(service) ? { [HEADLESS]: '' } : {})

function portsOn(service: KubeObject, pod: KubeObject): readonly EndpointPort[] {
  return ((service.spec?.ports ?? []) as ServicePort[]).flatMap((p) => {
    const port = findPort(pod, p)
    if (port === undefined) return []
    return [
      { name: p.name ?? '', port, protocol: p.protocol ?? 'TCP', ...(p.appProtocol === undefined ? {} : { appProtocol: p.appProtocol }) },
    ]
  })
}

interface EndpointFacts {
  readonly service: KubeObject
  readonly pod: KubeObject
  readonly addresses: readonly string[]
  readonly zone: string | undefined
  readonly zoneHints: ReadonlyMap<string, string> | undefined
}

function endpointOf({ service, pod, addresses, zone, zoneHints }: EndpointFacts) {
  const serving = isReady(pod)
  const terminating = isTerminating(pod)
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const named = pod.spec?.hostname && pod.spec?.subdomain === service.metadata.name
  const ready = service.spec?.publishNotReadyAddresses ? true : serving && !terminating
  const near = zoneHints === undefined ? hintsOf(service, pod.spec?.nodeName, zone) : forZone(zoneHints.get(uid))
  const hints = ready ? near : undefined
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(named ? { hostname: pod.spec.hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(zone === undefined ? {} : { zone }),
    ...(hints === undefined ? {} : { hints }),
  }
}

const forZone = (name: string | undefined) => (name === undefined ? undefined : { forZones: [{ name }] })

/** For whom an endpoint is meant first, where the service wants its traffic to stay near. */
function hintsOf(service: KubeObject, node: string | undefined, zone: string | undefined) {
  const near: string | undefined = service.spec?.trafficDistribution
  const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] }
  const forNodes = near === 'PreferSameNode' && node ? { forNodes: [{ name: node }] } : {}
  const hints = near === undefined ? {} : { ...forZones, ...forNodes }
  return Object.keys(hints).length === 0 ? undefined : hints
}

export interface SlicesView {
  readonly service: KubeObject
  readonly pods: readonly KubeObject[]
  readonly addressType: AddressType
  readonly standing: readonly KubeObject[]
  readonly zoneOf: (node: string) => string | undefined
  /** The zone that each pod, by uid, is to serve, in place of what the service's spec says; undefined: the spec says it. */
  readonly zoneHints?: ReadonlyMap<string, string> | undefined
}

/** What a slice says; its name and its owner come from elsewhere. */
export interface SliceContent {
  readonly labels: Readonly<Record<string, string>>
  readonly endpoints: readonly ReturnType<typeof endpointOf>[]
  readonly ports: readonly EndpointPort[]
}

export interface SlicesPlan {
  readonly create: readonly SliceContent[]
  readonly update: readonly { readonly slice: KubeObject; readonly content: SliceContent }[]
  readonly remove: readonly KubeObject[]
}

/** Which slices the service is to have for one sort of address; slices that stand are used again. Pure. */
export function planSlices({ standing, ...view }: SlicesView): SlicesPlan {
  const contents = wantedContents(view)
  const free = [...standing]
  const update: { slice: KubeObject; content: SliceContent }[] = []
  const create: SliceContent[] = []
  for (const content of contents) {
    const same = free.findIndex((s) => semanticEqual(s.ports ?? [], content.ports))
    const slice = free.splice(same === -1 ? 0 : same, 1)[0]
    if (slice === undefined) create.push(content)
    else if (!stands(slice, content)) update.push({ slice, content: { ...content, endpoints: inStandingOrder(slice, content.endpoints) } })
  }
  return { create, update, remove: free }
}

/** Without the pods on nodes that are not there, unless all are wanted whatever their state; those are looked at again later. Pure. */
export function onKnownNodes(
  service: KubeObject,
  pods: readonly KubeObject[],
  isNode: (name: string) => boolean,
): { readonly kept: readonly KubeObject[]; readonly faults: readonly string[] } {
  if (service.spec?.publishNotReadyAddresses) return { kept: pods, faults: [] }
  const isLost = ({ spec }: KubeObject) => Boolean(spec?.nodeName) && !isNode(spec?.nodeName)
  const { namespace, name } = service.metadata
  const faults = pods
    .filter((p) => isLost(p) && !isFinished(p) && p.status?.podIPs?.length > 0)
    .map((p) => `skipping Pod ${p.metadata.name} for Service ${namespace}/${name}: Node ${p.spec?.nodeName} Not Found`)
  return { kept: pods.filter((p) => !isLost(p)), faults }
}

/** The endpoints of the service that can be used, and where they are. Pure. */
export const zonedEndpoints = (view: Omit<SlicesView, 'standing'>): readonly ZonedEndpoint[] =>
  wantedContents(view).flatMap(({ endpoints }) =>
    endpoints.flatMap((e) => (e.conditions.ready ? [{ id: e.targetRef.uid, zone: e.zone }] : [])),
  )

function wantedContents({ service, pods, addressType, zoneOf, zoneHints }: Omit<SlicesView, 'standing'>): readonly SliceContent[] {
  const own = Object.fromEntries(Object.entries(service.metadata.labels ?? {}).filter(([k]) => !RESERVED.has(k)))
  const labels = { ...own, [MANAGED_BY]: CONTROLLER, [SERVICE_NAME]: service.metadata.name ?? '', ...headlessLabel(service) }
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: ReturnType<typeof endpointOf>[] }>()
  for (const pod of pods) {
    if (isFinished(pod)) continue
    const addresses = ((pod.status?.podIPs ?? []) as { ip: string }[])
      .map((a) => a.ip)
      .filter((ip) => ip.includes(':') === (addressType === 'IPv6'))
    if (addresses.length === 0) continue
    const ports = portsOn(service, pod)
    const key = JSON.stringify(ports)
    const group = groups.get(key) ?? { ports, endpoints: [] }
    group.endpoints.push(endpointOf({ service, pod, addresses, zone: zoneOf(pod.spec?.nodeName ?? ''), zoneHints }))
    groups.set(key, group)
  }
  const contents: SliceContent[] = []
  for (const { ports, endpoints } of groups.values())
    for (let at = 0; at < endpoints.length; at += MAX_ENDPOINTS)
      contents.push({ labels, ports, endpoints: endpoints.slice(at, at + MAX_ENDPOINTS) })
  // A service without endpoints shows that by an empty slice.
  return contents.length === 0 ? [{ labels, ports: [], endpoints: [] }] : contents
}

const uidOf = (e: { targetRef?: { uid?: string } }) => e.targetRef?.uid ?? ''

function stands(slice: KubeObject, content: SliceContent): boolean {
  return (
    semanticEqual(slice.ports ?? [], content.ports) &&
    semanticEqual(slice.metadata.labels, content.labels) &&
    semanticEqual(slice.endpoints ?? [], inStandingOrder(slice, content.endpoints))
  )
}

function inStandingOrder<T extends { targetRef?: { uid?: string } }>(slice: KubeObject, endpoints: readonly T[]): readonly T[] {
  const place = new Map(((slice.endpoints ?? []) as T[]).map((e, i) => [uidOf(e), i]))
  return endpoints.toSorted((a, b) => (place.get(uidOf(a)) ?? Number.MAX_SAFE_INTEGER) - (place.get(uidOf(b)) ?? Number.MAX_SAFE_INTEGER))
}

/** Remembers when pods became ready or not, so that a change can be dated by what caused it. */
export class TriggerTimes {
  readonly #seen = new Map<string, { readonly created: string; readonly pods: ReadonlyMap<string, string> }>()

  /** The earliest new cause for a change of this service, if there is one. */
  next(key: string, service: KubeObject, pods: readonly KubeObject[]): string | undefined {
    const before = this.#seen.get(key)
    const created = String(service.metadata.creationTimestamp ?? '')
    // Within one second a pod may become ready after it was not: the state is part of the cause.
    const now = new Map(pods.map((p) => [p.metadata.name ?? '', `${conditionOf(p, 'Ready')?.lastTransitionTime ?? ''} ${isReady(p)}`]))
    this.#seen.set(key, { created, pods: now })
    const causes = [...now].flatMap(([name, state]) => (before?.pods.get(name) === state ? [] : (state.split(' ')[0] ?? '')))
    if (before === undefined) causes.push(created)
    return causes.filter((time) => time !== '').sort()[0]
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }
}
