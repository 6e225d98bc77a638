import { semanticEqual } from '../../machinery/equal.ts'
import type { EndpointAddress, EndpointPort, Endpoints } from '../../resources/types/core.ts'
import type { Endpoint, EndpointSlice, EndpointPort as SlicePort } from '../../resources/types/discovery.ts'
import { offersOf, repackSubsets } from '../services/repack-subsets.ts'
import { MANAGED_BY, SERVICE_NAME, TRIGGER_TIME } from '../services/slice-labels.ts'
import { hasPorts, sortedPorts } from '../services/slice-ports.ts'

export const MIRRORED_BY = 'endpointslicemirroring-controller.k8s.io'
const SKIP = 'endpointslice.kubernetes.io/skip-mirror'
const LEADER = 'control-plane.alpha.kubernetes.io/leader'
const NOT_COPIED = new Set(['kubectl.kubernetes.io/last-applied-configuration', TRIGGER_TIME])
/** As kube-controller-manager's `--mirroring-max-endpoints-per-subset`. */
const MOST = 1000

/** Whether these endpoints are mirrored; so are those that the endpoints controller left behind when a selector was removed. */
export const isMirrored = ({ metadata: { labels = {}, annotations = {} } }: Endpoints): boolean =>
  labels[SKIP] !== 'true' && annotations[LEADER] === undefined

/** The content of a mirrored slice. */
export interface MirrorContent {
  readonly addressType: 'IPv4' | 'IPv6'
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly endpoints: readonly Endpoint[]
  readonly ports: readonly SlicePort[]
}

export interface MirrorUpdate {
  readonly slice: EndpointSlice
  readonly content: MirrorContent
  /** The slice had other ports: it takes the place of one that would be created. */
  readonly recycled: boolean
}

export interface MirrorPlan {
  readonly create: readonly MirrorContent[]
  readonly update: readonly MirrorUpdate[]
  readonly remove: readonly EndpointSlice[]
  /** How many addresses were skipped. */
  readonly skipped: number
}

/** The slices of endpoints that users write for a service without a selector; undefined endpoints have none. Pure. */
export function planMirror(endpoints: Endpoints | undefined, existing: readonly EndpointSlice[]): MirrorPlan {
  const { contents, skipped } = endpoints === undefined ? { contents: [], skipped: 0 } : contentsOf(endpoints)
  const free = new Set(existing)
  const take = (fits: (slice: EndpointSlice) => boolean) => {
    const slice = free.values().find(fits)
    if (slice !== undefined) free.delete(slice)
    return slice
  }
  const update: MirrorUpdate[] = []
  const fresh = contents.filter((content) => {
    const slice = take((s) => s.addressType === content.addressType && hasPorts(s, content.ports))
    if (slice !== undefined && !says(slice, content, endpoints)) update.push({ slice, content, recycled: false })
    return slice === undefined
  })
  const create = fresh.filter((content) => {
    const slice = take((s) => s.addressType === content.addressType)
    if (slice !== undefined) update.push({ slice, content, recycled: true })
    return slice === undefined
  })
  return { create, update, remove: [...free], skipped }
}

/** Slices of endpoints that were deleted and created again have another owner. */
const says = (slice: EndpointSlice, { endpoints, labels, annotations }: MirrorContent, owner: Endpoints | undefined) =>
  !(slice.metadata.ownerReferences ?? []).some(
    ({ kind, name, uid }) => kind === 'Endpoints' && name === owner?.metadata.name && uid !== owner.metadata.uid,
  ) &&
  semanticEqual(slice.endpoints ?? [], endpoints) &&
  semanticEqual(slice.metadata.labels ?? {}, labels) &&
  semanticEqual(slice.metadata.annotations ?? {}, annotations)

function contentsOf(endpoints: Endpoints): { contents: readonly MirrorContent[]; skipped: number } {
  const { name = '' } = endpoints.metadata
  const labels = { ...endpoints.metadata.labels, [SERVICE_NAME]: name, [MANAGED_BY]: MIRRORED_BY }
  const annotations = Object.fromEntries(Object.entries(endpoints.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key)))
  const groups = new Map<string, { addressType: 'IPv4' | 'IPv6'; ports: readonly SlicePort[]; endpoints: Endpoint[] }>()
  let skipped = 0
  for (const subset of repackSubsets(offersOf(endpoints.subsets ?? []))) {
    const ports = sortedPorts((subset.ports ?? []).map(portOf))
    const all = [
      ...(subset.addresses ?? []).map((a) => ({ address: a, ready: true })),
      ...(subset.notReadyAddresses ?? []).map((a) => ({ address: a, ready: false })),
    ]
    skipped += Math.max(0, all.length - MOST)
    for (const { address, ready } of all.slice(0, MOST)) {
      const addressType = address.ip.includes(':') ? 'IPv6' : 'IPv4'
      const key = `${addressType} ${JSON.stringify(ports)}`
      const group = groups.get(key) ?? { addressType, ports, endpoints: [] }
      group.endpoints.push(endpointOf(address, ready))
      groups.set(key, group)
    }
  }
  return { contents: [...groups.values()].map((group) => ({ ...group, labels, annotations })), skipped }
}

const portOf = ({ name = '', port, protocol = 'TCP', appProtocol }: EndpointPort) => ({
  name,
  port,
  protocol,
  ...(appProtocol === undefined ? {} : { appProtocol }),
})

const endpointOf = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean) => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname ? { hostname } : {}),
  ...(nodeName ? { nodeName } : {}),
  ...(targetRef === undefined ? {} : { targetRef }),
})
