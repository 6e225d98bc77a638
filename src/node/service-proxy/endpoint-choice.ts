import type { Endpoint, EndpointSlice } from '../../resources/types/discovery.ts'
import type { Family } from '../nftables/ruleset.ts'
import type { ProxiedPort } from './service-port.ts'

/** The node for which rules are written. */
export interface ProxyNode {
  readonly name: string
  readonly zone: string | undefined
  /** Its addresses, at which ports of nodes are open. */
  readonly ips: readonly string[]
  /** The networks of its pods, as far as they are known. */
  readonly podCidrs: readonly string[]
}

export interface Target {
  readonly ip: string
  readonly port: number
}

/** Which endpoints take the connections to a port of a service. */
export interface EndpointChoice {
  /** Anywhere in the cluster. */
  readonly cluster: readonly Target[]
  /** On this node. */
  readonly local: readonly Target[]
  /** How many on this node are ready. */
  readonly localReady: number
  /** Whether there are any at all. */
  readonly any: boolean
}

interface KnownEndpoint extends Target {
  readonly ready: boolean
  /** It terminates, and still serves. */
  readonly servingTerminating: boolean
  readonly local: boolean
  readonly source: Endpoint
}

/** The endpoints of a port among the slices of its service. Terminating ones are used while there are no others. Pure. */
export function chooseEndpoints(port: ProxiedPort, slices: readonly EndpointSlice[], node: ProxyNode): EndpointChoice {
  const all = endpointsOf(port, slices, node)
  const ready = all.filter((e) => e.ready)
  const cluster = preferred(ready, node)
  const orTerminating = (found: readonly KnownEndpoint[], among: readonly KnownEndpoint[]) =>
    (found.length > 0 ? found : among.filter((e) => e.servingTerminating)).map(({ ip, port }) => ({ ip, port }))
  const local = all.filter((e) => e.local)
  const localReady = local.filter((e) => e.ready)
  const chosen = { cluster: orTerminating(cluster, all), local: orTerminating(localReady, local) }
  return { ...chosen, localReady: localReady.length, any: chosen.cluster.length + chosen.local.length > 0 }
}

const ADDRESS_TYPES = { ip: 'IPv4', ip6: 'IPv6' } as const satisfies Record<Family, string>

function endpointsOf(port: ProxiedPort, slices: readonly EndpointSlice[], node: ProxyNode): readonly KnownEndpoint[] {
  const found = new Map<string, KnownEndpoint>()
  for (const slice of slices) {
    if (slice.addressType !== ADDRESS_TYPES[port.family]) continue
    const own = (slice.ports ?? []).find((p) => (p.name ?? '') === port.portName && (p.protocol ?? 'TCP').toLowerCase() === port.protocol)
    if (own?.port === undefined) continue
    for (const source of slice.endpoints ?? []) {
      // The addresses of an endpoint are equivalent: the first is used.
      const [ip] = source.addresses
      const { ready = true, serving = ready, terminating = false } = source.conditions ?? {}
      if (ip === undefined) continue
      const endpoint = {
        ip,
        port: own.port,
        ready,
        servingTerminating: serving && terminating,
        local: source.nodeName === node.name,
        source,
      }
      const key = `${ip} ${own.port}`
      if (found.get(key)?.ready !== true) found.set(key, endpoint)
    }
  }
  return [...found.values()].toSorted((a, b) => (a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : a.port - b.port))
}

/** Those that are meant for this node, or for its zone, where every endpoint says whom it is for (trafficDistribution). */
function preferred(ready: readonly KnownEndpoint[], { name, zone }: ProxyNode): readonly KnownEndpoint[] {
  const nodes = ready.map(({ source }) => source.hints?.forNodes ?? [])
  const zones = ready.map(({ source }) => source.hints?.forZones ?? [])
  const own = (hints: readonly (readonly { readonly name: string }[])[], wanted: string | undefined) =>
    wanted !== undefined && hints.every((one) => one.length > 0)
      ? ready.filter((_, i) => (hints[i] ?? []).some((hint) => hint.name === wanted))
      : []
  for (const found of [own(nodes, name), own(zones, zone)]) if (found.length > 0) return found
  return ready
}
