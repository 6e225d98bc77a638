import { isIPv6 } from 'node:net'
import { equalJson } from '../../machinery/equal.ts'
import type { EndpointSubset, Endpoints } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'

/** The addresses of a cluster's servers. */
export interface ServedAt {
  /** Sorted, without duplicates; empty: no server runs. */
  readonly addresses: readonly string[]
  readonly port: number
}

const NAME = { name: 'kubernetes', namespace: 'default' }
/** The slice is written here, not by the mirroring controller. */
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror'

/**
 * The desired Endpoints; undefined: no change. Ports that a user has changed are kept (unless `resetPorts`), if there is a subset with
 * addresses and ports at all. All other fields belong to others.
 */
export function planEndpoints(
  present: Endpoints | undefined,
  { addresses, port }: ServedAt,
  { resetPorts }: { readonly resetPorts: boolean },
): Endpoints | undefined {
  const ports: NonNullable<EndpointSubset['ports']> = [{ name: 'https', port, protocol: 'TCP' }]
  const before = present?.subsets ?? []
  const [only] = before
  const kept = before.length === 1 && only?.ports !== undefined && !resetPorts ? only.ports : ports
  const subsets = addresses.length === 0 ? [] : [{ addresses: addresses.map((ip) => ({ ip })), ports: kept }]
  if (present === undefined)
    return { apiVersion: 'v1', kind: 'Endpoints', metadata: { ...NAME, labels: { [SKIP_MIRROR]: 'true' } }, subsets }
  const { metadata } = present
  const marked = metadata.labels?.[SKIP_MIRROR] === 'true'
  if (marked && before.length === subsets.length && sameAddresses(before, subsets) && equalJson(only?.ports ?? ports, kept))
    return undefined
  return { ...present, metadata: { ...metadata, labels: { ...metadata.labels, [SKIP_MIRROR]: 'true' } }, subsets }
}

const sameAddresses = (a: readonly EndpointSubset[], b: readonly EndpointSubset[]) =>
  equalJson(addressesIn(a).sort(), addressesIn(b).sort())
const addressesIn = (subsets: readonly EndpointSubset[]) => subsets.flatMap((s) => (s.addresses ?? []).map(({ ip }) => ip))

/** The action for the slice. The address type is immutable: a slice of another type has to be deleted first. */
export type SlicePlan = { readonly kind: 'right' } | { readonly kind: 'create' | 'update' | 'replace'; readonly slice: EndpointSlice }

/** The slice that mirrors the Endpoints. */
export function planSlice(present: EndpointSlice | undefined, endpoints: Endpoints): SlicePlan {
  const [subset] = endpoints.subsets ?? []
  const addresses = addressesIn(subset === undefined ? [] : [subset])
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...NAME, labels: { 'kubernetes.io/service-name': NAME.name } },
    addressType: isIPv6(addresses[0] ?? '') ? 'IPv6' : 'IPv4',
    endpoints: addresses.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: (subset?.ports ?? []).map(({ name = '', port, protocol = 'TCP' }) => ({ name, port, protocol })),
  }
  if (present === undefined) return { kind: 'create', slice }
  if (present.addressType !== slice.addressType) return { kind: 'replace', slice }
  const same =
    equalJson(present.endpoints ?? [], slice.endpoints) &&
    equalJson(present.ports ?? [], slice.ports) &&
    equalJson(present.metadata.labels ?? {}, slice.metadata.labels)
  return same ? { kind: 'right' } : { kind: 'update', slice }
}
