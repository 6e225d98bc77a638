import os from 'node:os'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { NodeAgent } from '../../node/agent.ts'
import type { KubeletHost } from '../../node/api/kubelet-host.ts'
import { createSharedFeed } from '../../node/feed.ts'
import { openLog } from '../../node/pod/open-log.ts'
import { StatusTraffic } from '../../node/pod/report/status-traffic.ts'
import { ProbeCounts } from '../../node/probes/probe-counts.ts'
import { openRealNode, type RealNode, type RealNodeConfig } from '../../node/real/open-real-node.ts'
import { KUBELET_FOLDERS } from '../../node/real/pod-folders.ts'
import { openCriRuntime } from '../../node/runtime/cri/cri-runtime.ts'
import { socketOf } from '../../node/runtime/cri/runtime-endpoint.ts'
import type { Runtime } from '../../node/runtime/runtime.ts'
import { asOnNode } from '../../node/static-pods/mirror-pods.ts'
import type { StaticPodFeed } from '../../node/static-pods/static-pod-feed.ts'
import type { AgentPart } from '../../node/types/agent-part.ts'
import { NodeAttachments } from '../../node/volumes/node-attachments.ts'
import { CallCounts } from '../../sdk/client/call-counts.ts'
import type { Client } from '../../sdk/client/client.ts'
import { countingClient } from '../../sdk/client/counting-client.ts'
import type { InformerFactory } from '../../sdk/informer/informer-factory.ts'
import type { RunPart } from '../supervisor.ts'
import { openRealAllocation, type RealAllocation, type ReportPod } from './real-allocation.ts'
import { runAgent } from './run-agent.ts'

export interface RealNodePartDeps {
  /** Where the container runtime listens: `unix:///run/containerd/containerd.sock`. */
  readonly runtimeEndpoint: string
  /** As `system:node:<name>`. */
  readonly client: Client
  /** The address and port of the API server, for metrics; undefined: it is in this process. */
  readonly apiHost?: string | undefined
  /** Read nodes, pods and services. */
  readonly informers: InformerFactory
  /** The informers may read this node and its pods only. */
  readonly restricted: boolean
  readonly agents: Map<string, NodeAgent>
  /** What kubelets' servers see of their nodes. */
  readonly hosts: Map<string, KubeletHost>
  /** Reports on what pods have of their machines, by node. */
  readonly reports?: Map<string, ReportPod>
  /** Called once the node's server can be opened; resolves with its port. Absent: it opens none. */
  readonly listen?: (nodeName: string) => Promise<number>
  readonly staticPods?: StaticPodFeed
  /** What it does for the network of the cluster. */
  readonly network: readonly AgentPart[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** One real node: this machine, with the containers of a runtime. What it runs outlives a death of the agent, and of the process. */
export function realNodePart(config: RealNodeConfig, deps: RealNodePartDeps): RunPart {
  const { informers, clock, restricted } = deps
  const { name } = config
  return async (signal) => {
    const feed = createSharedFeed(informers, restricted ? { only: name } : {})
    await using runtime = await openCriRuntime({ socketPath: socketOf(deps.runtimeEndpoint), clock }, signal)
    const agentNow = () => deps.agents.get(name)
    const { root = KUBELET_FOLDERS.root, kubelet } = config
    await using allocation = await openRealAllocation({ nodeName: name, root, kubelet }, { ...deps, agent: agentNow })
    const { takers } = allocation.devices
    const node = await openRealNode(config, { ...deps, runtime, takers, podsOfNode: () => feed.podsOf(name) }, signal)
    const probeCounts = new ProbeCounts()
    deps.hosts.set(name, {
      nodeName: name,
      machine: node.identity.machine,
      ids: node.identity.ids,
      runtime,
      pods: () => feed.podsOf(name),
      logs: (pod, container, query, until) => openLog({ pod, container, query }, runtime, until),
      volumeUse: (podUid) => node.pods.volumeUse(podUid),
      machineUse: (until) => node.meter.read(feed.podsOf(name).map(asOnNode), until),
      probes: () => probeCounts.all(),
      alive: () => true,
      families: () => agentNow()?.families() ?? [],
    })
    const port = await deps.listen?.(name)
    const agent = agentOf(node, port, { ...deps, runtime, feed, probeCounts, allocation })
    deps.agents.set(name, agent)
    deps.reports?.set(name, allocation.report)
    try {
      await Promise.all([feed.run(signal), runAgent(agent, deps, signal)])
    } finally {
      deps.agents.delete(name)
      deps.reports?.delete(name)
    }
  }
}

interface AgentOf extends RealNodePartDeps {
  readonly runtime: Runtime
  readonly feed: ReturnType<typeof createSharedFeed>
  readonly probeCounts: ProbeCounts
  readonly allocation: RealAllocation
}

function agentOf(node: RealNode, kubeletPort: number | undefined, deps: AgentOf): NodeAgent {
  const { runtime, clock, log, feed, probeCounts, staticPods, allocation, apiHost } = deps
  const calls = new CallCounts({ host: apiHost })
  const client = countingClient(deps.client, calls.count, clock)
  const { devices, topology } = allocation
  const { mounted, flex, pods: driverPods } = node.volumes
  const shutdown = node.shutdown === undefined ? [] : [node.shutdown]
  const attachments = new NodeAttachments({ client, clock, mounted, flexAttachedAs: (volume) => flex.attachedAs(volume) })
  return new NodeAgent(
    { ...node.identity, ...(kubeletPort !== undefined && { kubeletPort }) },
    {
      client,
      feed,
      clock,
      log,
      runtime,
      network: node.network,
      host: node.host,
      images: node.images,
      traffic: new StatusTraffic(),
      probeCounts,
      // What pods get of the machine is known before their requests to the runtime are completed.
      admission: [node.eviction, attachments, driverPods, devices.claims, topology.manager, devices.manager, node.pods, ...shutdown],
      parts: [
        node.eviction,
        attachments,
        ...shutdown,
        ...(topology.reconciler ? [topology.reconciler] : []),
        ...node.parts,
        ...deps.network,
      ],
      sources: [node.eviction, attachments, topology.source, devices.manager, ...shutdown],
      metrics: [calls, node.eviction, topology.metrics, devices.metrics, devices.claims.metrics],
      ...(staticPods && { staticPods }),
    },
  )
}

/** The addresses of this machine on its networks; without any, that of itself. IPv4 first. */
export function machineAddresses(): readonly string[] {
  const outside = Object.values(os.networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((one) => !one.internal && !one.address.startsWith('fe80:'))
  const first = (family: string) => outside.find((one) => one.family === family)?.address
  const found = [first('IPv4'), first('IPv6')].filter((address) => address !== undefined)
  return found.length > 0 ? found : ['127.0.0.1']
}
