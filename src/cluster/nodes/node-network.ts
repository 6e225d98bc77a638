import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { machineNft } from '../../node/nftables/nft.ts'
import { machineConntrack } from '../../node/service-proxy/conntrack.ts'
import { ServiceProxy } from '../../node/service-proxy/service-proxy.ts'
import type { AgentPart } from '../../node/types/agent-part.ts'
import type { Client } from '../../sdk/client/client.ts'

/** What a real node does for the network of the cluster, besides its pods; another program may do each of it instead. */
export interface NodeNetwork {
  /** Addresses of services lead to their endpoints (kube-proxy's work). */
  readonly serviceProxy: boolean
  /** The networks of all pods; empty: those of the node's own pods are known from its Node. */
  readonly clusterCidrs: readonly string[]
}

export interface NodeNetworkDeps {
  /** May list and watch services and endpoint slices, as `system:node-proxier`. */
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

export function nodeNetworkParts({ serviceProxy, clusterCidrs }: NodeNetwork, deps: NodeNetworkDeps): readonly AgentPart[] {
  const { client, clock, random, log } = deps
  if (!serviceProxy) return []
  return [new ServiceProxy({ client, clusterCidrs, nft: machineNft, conntrack: machineConntrack(log), clock, random, log })]
}
