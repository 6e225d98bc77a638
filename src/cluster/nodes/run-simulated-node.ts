import { NodeAgent } from '../../node/agent.ts'
import type { NodeTopology } from '../../node/allocation/topology/open-topology.ts'
import type { PodNetworks } from '../../node/cni/pod-networks.ts'
import type { OnDemandEviction } from '../../node/eviction/on-demand-eviction.ts'
import type { SharedFeed } from '../../node/feed.ts'
import { createSimulatedHost } from '../../node/host/simulated-host.ts'
import { NodeLink } from '../../node/link/node-link.ts'
import type { MetricSource } from '../../node/metrics/metric-source.ts'
import type { StatusTraffic } from '../../node/pod/report/status-traffic.ts'
import { restoringFeed } from '../../node/recovery/restoring-feed.ts'
import { createSimulatedNetwork } from '../../node/runtime/simulated/simulated-network.ts'
import { NodeShutdown } from '../../node/shutdown/node-shutdown.ts'
import { DEFAULT_PERIODS } from '../../node/shutdown/shutdown-periods.ts'
import { annotatedShutdown } from '../../node/shutdown/shutdown-watch.ts'
import type { NodeIdentity } from '../../node/status/node-object.ts'
import { NodeAttachments } from '../../node/volumes/node-attachments.ts'
import { CallCounts } from '../../sdk/client/call-counts.ts'
import type { Client } from '../../sdk/client/client.ts'
import { countingClient } from '../../sdk/client/counting-client.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import type { EventGate } from '../../sdk/controller/event-gate.ts'
import { type NodeDevices, openNodeDevices, withDevices } from './node-devices.ts'
import type { NodePartDeps } from './node-part-deps.ts'
import { runAgent } from './run-agent.ts'
import type { SimulatedNode } from './simulated-node.ts'

/** What the agents of all simulated nodes share in one run. */
export interface SharedByNodes {
  readonly feed: SharedFeed
  /** The agents' clients, by node name. */
  readonly clients: Map<string, Client>
  /** One array for all nodes, because results are cached by its identity. */
  readonly clusterDns: readonly string[]
  readonly gate: EventGate
  readonly traffic: StatusTraffic
}

/** Registers a simulated node and runs its agent until the signal is aborted. */
export async function runSimulatedNode(node: SimulatedNode, deps: NodePartDeps, shared: SharedByNodes, signal: AbortSignal): Promise<void> {
  const { clock, log, agents } = deps
  const { name, runtime } = node
  // A node that is cut off cannot be reached.
  const link = new NodeLink((cut) => (cut ? agents.delete(name) : agents.set(name, agent)))
  const calls = new CallCounts()
  const client = countingClient(createClient(link.transport(deps.transport(name))), calls.count, clock)
  shared.clients.set(name, client)
  const around = { client, clock, log, agent: () => agents.get(name) }
  let topology: NodeTopology | undefined
  const devices = deps.devices && (await openNodeDevices(name, deps.devices, { ...around, held: deps.topology && (() => topology?.held) }))
  topology = deps.topology?.open(name, devices)
  const staticPods = deps.staticPods?.(name)
  const described = () => agents.get(name)?.node()?.metadata.annotations
  const host = createSimulatedHost({ clusterDns: shared.clusterDns, ...deps.topology?.host, described })
  const eviction = deps.eviction.open(name, runtime)
  const shutdown = new NodeShutdown(deps.topology?.kubelet.shutdown ?? DEFAULT_PERIODS, { clock, watch: annotatedShutdown })
  const attachments = new NodeAttachments({ client, clock })
  const networks = await deps.podNetworks?.open(name, host, (event) => agents.get(name)?.record(event))
  const parts = {
    host,
    ...partsOf({ topology, devices, eviction, shutdown, attachments, networks, calls }),
    ...(staticPods && { staticPods }),
  }
  const identity = deps.listen === true ? await listening(node, deps) : node
  const agent: NodeAgent = new NodeAgent(identity, {
    client,
    feed: withDevices(restoringFeed(link.feed(shared.feed), runtime), devices),
    clock,
    log,
    runtime,
    network: createSimulatedNetwork(runtime),
    gate: shared.gate,
    traffic: shared.traffic,
    probeCounts: node.probeCounts,
    ...parts,
  })
  agents.set(name, agent)
  try {
    await runAgent(agent, deps, signal)
  } finally {
    await devices?.[Symbol.asyncDispose]()
    if (networks !== undefined) await deps.podNetworks?.close(networks)
  }
}

/** Adds the address and the port of its kubelet on this machine to the node. */
async function listening<I extends NodeIdentity>(identity: I, { kubelets }: NodePartDeps): Promise<I> {
  if (kubelets === undefined) return identity
  const { host, port } = await kubelets.listen(identity.name)
  return { ...identity, ip: host, kubeletPort: port }
}

/** The node's parts in order: first those that refuse pods, then those that allocate, driven by the topology manager. */
function partsOf({ topology, devices, eviction, shutdown, attachments, networks, calls }: NodeParts) {
  return {
    admission: [eviction, attachments, devices?.claims, topology?.manager, devices?.manager, shutdown, networks].filter(
      (h) => h !== undefined,
    ),
    sources: [eviction, topology?.source, devices?.manager, shutdown, attachments].filter((s) => s !== undefined),
    parts: [eviction, topology?.reconciler, shutdown, attachments].filter((p) => p !== undefined),
    metrics: [calls, eviction, topology?.metrics, devices?.metrics, devices?.claims.metrics].filter((m) => m !== undefined),
  }
}

interface NodeParts {
  readonly topology: NodeTopology | undefined
  readonly devices: NodeDevices | undefined
  readonly eviction: OnDemandEviction
  readonly shutdown: NodeShutdown
  readonly attachments: NodeAttachments
  readonly networks: PodNetworks | undefined
  readonly calls: MetricSource
}
