import { byText } from '../../base/by-text.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import type { Node } from '../../resources/types/core.ts'
import { conditionOf } from '../pods/pod-state.ts'

const MODE = 'service.kubernetes.io/topology-mode'
const OLDER_MODE = 'service.kubernetes.io/topology-aware-hints'
const ZONE = 'topology.kubernetes.io/zone'
const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']
/** How much more work than its share an endpoint may get, as upstream. */
const OVERLOAD = 0.2

/** Whether the service has topology aware hints: each zone gets endpoints in proportion to its CPUs. */
export function wantsZoneHints({ metadata: { annotations = {} } }: KubeObject): boolean {
  const mode = annotations[OLDER_MODE] ?? annotations[MODE]
  return mode === 'Auto' || mode === 'auto'
}

/** What decides about hints anew when a node changes, as upstream: its CPUs are not part of it. Pure. */
export const zoneAndReadiness = (node: Node) => ({
  zone: node.metadata.labels?.[ZONE],
  ready: conditionOf(node, 'Ready')?.status === 'True',
})

/** What a node adds to its zone; undefined if it does not count. Pure. */
function partOf(node: Node): { readonly zone: string; readonly cpu: number } | undefined {
  const { labels = {} } = node.metadata
  if (CONTROL_PLANE.some((label) => labels[label] !== undefined) || conditionOf(node, 'Ready')?.status !== 'True') return undefined
  return { zone: labels[ZONE] ?? '', cpu: Number(tryParseQuantity(String(node.status?.allocatable?.cpu ?? '0'))?.scaledValue(-3) ?? 0n) }
}

/** The share of each zone in the CPUs of the cluster; undefined if zones or CPUs of nodes are unknown. Pure. */
export function zoneShares(nodes: readonly Node[]): ReadonlyMap<string, number> | undefined {
  const cpus = new Map<string, number>()
  for (const node of nodes) {
    const part = partOf(node)
    if (part === undefined) continue
    if (part.zone === '' || part.cpu <= 0) return undefined
    cpus.set(part.zone, (cpus.get(part.zone) ?? 0) + part.cpu)
  }
  const total = [...cpus.values()].reduce((a, b) => a + b, 0)
  return cpus.size < 2 ? undefined : new Map([...cpus].map(([zone, cpu]) => [zone, cpu / total]))
}

/** A ready endpoint. */
export interface ZonedEndpoint {
  readonly id: string
  readonly zone: string | undefined
}

/** The zone that each endpoint serves, or why there are no hints. */
export type ZoneHints =
  | { readonly kind: 'hints'; readonly zones: ReadonlyMap<string, string> }
  | { readonly kind: 'none'; readonly why: string }

/** How many endpoints serve each zone. */
export type ZoneCounts = ReadonlyMap<string, number>

export function countZones(zones: ReadonlyMap<string, string>): ZoneCounts {
  const counts = new Map<string, number>()
  for (const zone of zones.values()) counts.set(zone, (counts.get(zone) ?? 0) + 1)
  return counts
}

/** Whether a zone has so few of the hinted endpoints that they have too much work, or the shares are not known any more. Pure. */
export function isOverloaded(counts: ZoneCounts, shares: ReadonlyMap<string, number> | undefined): boolean {
  if (counts.size === 0) return false
  if (shares === undefined) return true
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return [...shares].some(([zone, share]) => (counts.get(zone) ?? -1) < leastOf(share, total))
}

const leastOf = (share: number, endpoints: number) => Math.ceil(share * endpoints * (1 / (1 + OVERLOAD)))

/** Gives each zone endpoints by its share: first its own, then some of zones that have too many. Pure. */
export function planZoneHints(endpoints: readonly ZonedEndpoint[], shares: ReadonlyMap<string, number> | undefined): ZoneHints {
  const none = (why: string): ZoneHints => ({ kind: 'none', why })
  if (shares === undefined) return none('Insufficient Node information: allocatable CPU or zone not specified on one or more nodes')
  const counts = `(${endpoints.length} endpoints, ${shares.size} zones)`
  if (shares.size > endpoints.length) return none(`Insufficient number of endpoints ${counts}`)
  const least = (share: number) => leastOf(share, endpoints.length)
  if ([...shares.values()].reduce((sum, share) => sum + least(share), 0) > endpoints.length)
    return none(`Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`)
  if (endpoints.some((e) => !e.zone)) return none('One or more endpoints do not have a zone specified')
  const zones = new Map(endpoints.map((e) => [e.id, e.zone ?? '']))
  const wanted = new Map([...shares].map(([zone, share]) => [zone, Math.max(share * endpoints.length, least(share))]))
  const { giving, receiving } = transfers(zones, wanted)
  for (const { id, zone = '' } of endpoints.toSorted((a, b) => byText(a.id, b.id))) {
    const to = [...receiving].find(([, left]) => left > 0)
    if (to === undefined) break
    const left = giving.get(zone) ?? 0
    if (left === 0) continue
    giving.set(zone, left - 1)
    receiving.set(to[0], to[1] - 1)
    zones.set(id, to[0])
  }
  return { kind: 'hints', zones }
}

/** How many endpoints each zone donates or receives: the neediest first, as long as that brings both closer to their shares. */
function transfers(zones: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, number>) {
  const current = countZones(zones)
  const surplus = new Map([...wanted].map(([zone, target]) => [zone, (current.get(zone) ?? 0) - target]))
  const [giving, receiving] = [new Map<string, number>(), new Map<string, number>()]
  for (;;) {
    const [from, many] = extreme(surplus, 1)
    const [to, few] = extreme(surplus, -1)
    if (from === undefined || to === undefined || many < 0.5 || few < 0.5 || (many < 1 && few < 1)) return { giving, receiving }
    surplus.set(from, (surplus.get(from) ?? 0) - 1)
    surplus.set(to, (surplus.get(to) ?? 0) + 1)
    giving.set(from, (giving.get(from) ?? 0) + 1)
    receiving.set(to, (receiving.get(to) ?? 0) + 1)
  }
}

/** The zone that is furthest from its share on that side, and how far. */
function extreme(surplus: ReadonlyMap<string, number>, side: 1 | -1): readonly [zone: string | undefined, amount: number] {
  let found: string | undefined
  let most = 0
  for (const [zone, amount] of surplus) if (amount * side > most) [found, most] = [zone, amount * side]
  return [found, most]
}
