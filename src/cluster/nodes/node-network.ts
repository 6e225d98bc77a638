import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { ResourceRef } from '../../machinery/api-call.ts'
import { ClusterObjects } from '../../node/cluster-objects.ts'
import { ClusterDns } from '../../node/dns/cluster-dns.ts'
import { NetworkPolicies } from '../../node/network-policy/network-policies.ts'
import { machineNft } from '../../node/nftables/nft.ts'
import { CniNetwork } from '../../node/real/cni/network-list.ts'
import { readResolver } from '../../node/real/real-host.ts'
import { machineRoutes } from '../../node/routes/ip-routes.ts'
import { NodeRoutes } from '../../node/routes/node-routes.ts'
import { machineConntrack } from '../../node/service-proxy/conntrack.ts'
import { ServiceProxy } from '../../node/service-proxy/service-proxy.ts'
import type { AgentPart } from '../../node/types/agent-part.ts'
import { ENDPOINT_SLICES, NAMESPACES, NETWORK_POLICIES, NODES, PODS, SERVICES } from '../../resources/refs.ts'
import type { InformerFactory } from '../../sdk/informer/informer-factory.ts'

/** What a real node does for the network of the cluster, besides its pods; another program may do each of it instead. */
export interface NodeNetwork {
  /** Addresses of services lead to their endpoints (kube-proxy's work). */
  readonly serviceProxy: boolean
  /** Names of the cluster are answered (CoreDNS' work). */
  readonly dns: boolean
  /** What NetworkPolicies do not allow is dropped. */
  readonly policies: boolean
  /** Where a list of network plugins is written if there is none. Default: nowhere. */
  readonly cniFolder?: string | undefined
  /** The networks of all pods; empty: those of the node's own pods are known from its Node, and pods are hidden behind its address. */
  readonly clusterCidrs: readonly string[]
}

export interface NodeNetworkDeps {
  /** May list and watch services and endpoint slices, and namespaces for DNS. */
  readonly informers: InformerFactory
  /** Where pods ask for names. */
  readonly clusterDns: readonly string[]
  /** The node's own `resolv.conf`, for names that are not of the cluster. Default `/etc/resolv.conf`. */
  readonly resolvConf: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** The parts of the agent that do it; the first one reads what the others need. */
export function nodeNetworkParts(
  { serviceProxy, dns, policies, cniFolder, clusterCidrs }: NodeNetwork,
  deps: NodeNetworkDeps,
): readonly AgentPart[] {
  const { clusterDns, resolvConf = '/etc/resolv.conf', log } = deps
  const upstream = readResolver(resolvConf).servers.filter((server) => !clusterDns.includes(server))
  const refs: readonly ResourceRef[] = [
    SERVICES,
    ENDPOINT_SLICES,
    ...(dns || policies ? [NAMESPACES] : []),
    ...(policies ? [NETWORK_POLICIES] : []),
  ]
  // Whose list of plugins it is decides whose the ways between pods are.
  const routed = cniFolder !== undefined && clusterCidrs.length > 0
  const objects = new ClusterObjects([...refs, ...(routed ? [NODES] : [])], deps.informers)
  const parts: readonly AgentPart[] = [
    ...(serviceProxy ? [new ServiceProxy({ ...deps, objects, clusterCidrs, nft: machineNft, conntrack: machineConntrack(log) })] : []),
    ...(dns ? [new ClusterDns({ ...deps, objects, addresses: clusterDns, upstream })] : []),
    ...(policies ? [new NetworkPolicies({ ...deps, objects, pods: new ClusterObjects([PODS], deps.informers), nft: machineNft })] : []),
  ]
  const routes = routed ? [new NodeRoutes({ ...deps, objects, clusterCidrs, nft: machineNft, routes: machineRoutes })] : []
  const cni = [...(cniFolder === undefined ? [] : [new CniNetwork(cniFolder, { hides: !routed, log })]), ...routes]
  return parts.length === 0 && !routed ? cni : [{ run: (_, signal) => objects.run(signal) }, ...parts, ...cni]
}
