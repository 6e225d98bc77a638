import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Transport } from '../../machinery/api-call.ts'
import type { NodeAgent } from '../../node/agent.ts'
import type { Script } from '../../node/runtime/simulated/behaviour.ts'
import type { NodeShape } from '../../node/status/node-shape.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { InformerFactory } from '../../sdk/informer/informer-factory.ts'
import type { PodFigures } from '../metrics/pod-figures.ts'
import type { ProgramsPart } from '../programs/programs-part.ts'
import type { EvictionSetup } from './eviction-setup.ts'
import type { Kubelets } from './kubelets.ts'
import type { DeviceSetup } from './node-devices.ts'
import type { PodNetworkSetup } from './pod-network-setup.ts'
import type { StaticPodSetup } from './static-pod-setup.ts'
import type { TopologySetup } from './topology-setup.ts'

/** What the simulated nodes of a cluster share. */
export interface NodePartDeps {
  /** Authenticates as `system:node:<name>`. */
  readonly transport: (nodeName: string) => Transport
  /** What all agents share: may read all nodes, pods, services, claims. */
  readonly informers: InformerFactory
  /** May read all volumes. */
  readonly volumesClient: Client
  /** The agents by node name, for access to nodes (logs). */
  readonly agents: Map<string, NodeAgent>
  /** The pod CIDRs of nodes. Default: ranges from 10.210.0.0/15 on. */
  readonly podCidrs?: ReadonlyMap<string, readonly string[]>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** The behaviour of containers and registries; default: the default script. */
  readonly script?: Script
  /** The programs of the nodes' containers; undefined: none. */
  readonly programs?: ProgramsPart
  /** The kubelets' servers, and their ports. */
  readonly kubelets?: Pick<Kubelets, 'hosts' | 'listen'>
  /** Each kubelet listens on a port of this machine. */
  readonly listen?: boolean
  /** The usage of pods; absent: unknown. */
  readonly figures?: Pick<PodFigures, 'now'>
  /** undefined: nodes have no devices, and their code is not loaded. */
  readonly devices?: DeviceSetup
  /** undefined: nodes have no topology management, and its code is not loaded. */
  readonly topology?: TopologySetup
  readonly eviction: EvictionSetup
  /** Of the nodes that have one. */
  readonly shapes?: ReadonlyMap<string, NodeShape>
  /** The address of the pods' name server. */
  readonly nameserver: string
  /** undefined: pods have addresses in memory. */
  readonly podNetworks?: PodNetworkSetup
  /** undefined: nodes have no static pods, and their code is not loaded. */
  readonly staticPods?: StaticPodSetup
}
