import { DEFAULT_CONFIGURATION, readKubeletConfiguration } from '../../node/configuration/kubelet-configuration.ts'
import type { FollowedObjects } from '../../node/network/cluster-network.ts'
import { scriptOf } from '../../node/runtime/simulated/behaviour.ts'
import type { ObjectSource } from '../../node/volumes/object-source.ts'
import type { LocalNodes } from '../nodes/local-nodes.ts'
import { openNodes } from '../nodes/node-part.ts'
import { nameserverOf } from '../programs/programs-part.ts'
import type { RunPart } from '../supervisor.ts'
import { nodeUser } from '../users.ts'
import type { PartDeps } from './part-deps.ts'

/** The dependencies of nodes in addition to those of all parts. */
export interface NodesDeps extends PartDeps {
  readonly nodes: LocalNodes
  /** What the network of pods is made from. */
  readonly objects: FollowedObjects
  /** What pods refer to. */
  readonly source: ObjectSource
}

/** The agents of the nodes. */
export async function loadNodes(deps: NodesDeps): Promise<RunPart> {
  return deps.setup.config.runtime === undefined ? loadSimulatedNodes(deps) : loadRealNode(deps, deps.setup.config.runtime)
}

async function loadRealNode({ setup, access, informers, nodes }: NodesDeps, runtimeEndpoint: string): Promise<RunPart> {
  const { config, clock, random, log, staticPods, nodeNames, topology } = setup
  const [name = ''] = nodeNames
  const kubelet = topology?.kubelet ?? readKubeletConfiguration(DEFAULT_CONFIGURATION)
  const { clusterDns: named = [], resolvConf } = kubelet
  const clusterDns = named.length > 0 ? named : [nameserverOf(config.serviceCidr)]
  const { realNodePart, machineAddresses } = await import('../nodes/real-node-part.ts')
  const { nodeNetworkParts } = await import('../nodes/node-network.ts')
  return realNodePart(
    { name, ips: machineAddresses(), clusterDns, kubelet },
    {
      runtimeEndpoint,
      client: access.client(nodeUser(name)),
      informers,
      network: nodeNetworkParts(config.nodeNetwork, { informers, clusterDns, resolvConf, clock, random, log }),
      restricted: false,
      agents: nodes.agents,
      hosts: nodes.kubelets.hosts,
      reports: nodes.reports,
      clock,
      random,
      log,
      ...(staticPods && { staticPods: staticPods(name) }),
    },
  )
}

async function loadSimulatedNodes({ setup, access, informers, podRanges, nodes, objects, source }: NodesDeps): Promise<RunPart> {
  const { config, clock, random, log, topology, staticPods, podNetworks } = setup
  const { agents, devices, programs, figures, eviction, kubelets } = nodes
  const { script = scriptOf(config.unknownPrograms) } = setup.deps
  const ignored = topology?.kubelet.notFollowed ?? []
  if (ignored.length > 0) log.warn(`nodes do not follow these fields of the kubelet configuration: ${ignored.join(', ')}`)
  programs.start({
    objects,
    source,
    clientOf: (user) => access.client(user),
    nodeClient: (name) => access.client(nodeUser(name)),
    apiServer: () => access.connect(),
  })
  const podCidrs = (await podRanges())?.simulated
  return openNodes(setup.nodeNames, {
    transport: (name) => access.transport(nodeUser(name)),
    informers,
    volumesClient: access.client(),
    agents,
    clock,
    random,
    log,
    programs,
    eviction,
    kubelets,
    listen: config.kubeletPorts,
    figures,
    nameserver: nameserverOf(config.serviceCidr),
    ...(podCidrs && { podCidrs }),
    script,
    shapes: new Map(config.nodeShapes.map(({ name, shape }) => [name, shape])),
    ...(devices && { devices }),
    ...(topology && { topology }),
    ...(staticPods && { staticPods }),
    ...(podNetworks && { podNetworks }),
  })
}
