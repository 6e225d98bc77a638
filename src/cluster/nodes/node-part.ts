import { pause } from '../../base/pause.ts'
import { SignalScope } from '../../base/signal-scope.ts'
import { NodeAgent } from '../../node/agent.ts'
import type { NodeTopology } from '../../node/allocation/topology/open-topology.ts'
import type { OnDemandEviction } from '../../node/eviction/on-demand-eviction.ts'
import { createSharedFeed, type SharedFeed } from '../../node/feed.ts'
import { createSimulatedHost } from '../../node/host/simulated-host.ts'
import { NodeLink } from '../../node/link/node-link.ts'
import { StatusTraffic } from '../../node/pod/report/status-traffic.ts'
import { restoringFeed } from '../../node/recovery/restoring-feed.ts'
import { createSimulatedNetwork } from '../../node/runtime/simulated/simulated-network.ts'
import { NodeShutdown } from '../../node/shutdown/node-shutdown.ts'
import { DEFAULT_PERIODS } from '../../node/shutdown/shutdown-periods.ts'
import type { NodeIdentity } from '../../node/status/node-object.ts'
import type { NodeShape } from '../../node/status/node-shape.ts'
import { createClaimGrowth } from '../../node/volumes/grow-claims.ts'
import { NodeAttachments } from '../../node/volumes/node-attachments.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { createEventGate } from '../../sdk/controller/event-gate.ts'
import type { RunPart } from '../supervisor.ts'
import { AddedNodes } from './added-nodes.ts'
import { type NodeDevices, openNodeDevices, withDevices } from './node-devices.ts'
import type { NodePartDeps } from './node-part-deps.ts'
import { type NodePlacing, nodePlaces } from './node-places.ts'
import { createSimulatedNode, kubeletHostOf, reshaped, type SimulatedNode } from './simulated-node.ts'

/** Simulated nodes, and a part that runs their agents. The runtimes outlive a failure of the agents. */
export function openNodes(names: readonly string[], deps: NodePartDeps): RunPart {
  const { clock, log } = deps
  const present: { feed?: SharedFeed } = {}
  /** Nodes that were deleted: another of the same name has their runtime. */
  const removed = new Map<string, SimulatedNode>()
  const open = (place: NodePlacing, shape: NodeShape | undefined): SimulatedNode => {
    const before = removed.get(place.name)
    const node = before === undefined ? createSimulatedNode(place, shape, deps) : reshaped(before, shape, deps)
    deps.kubelets?.hosts.set(
      place.name,
      kubeletHostOf(node, () => present.feed, deps),
    )
    return node
  }
  const nodes = nodePlaces(names, deps.podCidrs).map((place) => open(place, deps.shapes?.get(place.name)))
  return async (signal) => {
    const feed = createSharedFeed(deps.informers)
    present.feed = feed
    // Under load, pod statuses take precedence over other writes.
    const traffic = new StatusTraffic()
    const gate = createEventGate(EVENTS_IN_FLIGHT, () => traffic.crowded)
    const scope = new SignalScope(signal)
    // One array for all nodes, because results are cached by its identity.
    const clusterDns = [deps.nameserver]
    const clients = new Map<string, Client>()
    const growth = createClaimGrowth({
      client: deps.volumesClient,
      informers: deps.informers,
      clock,
      log,
      pods: feed.pods,
      // A node that is cut off expands no volumes.
      node(name) {
        const [agent, client] = [deps.agents.get(name), clients.get(name)]
        return agent && client && { client, record: (event) => agent.record(event) }
      },
      grown: (volumeName) => deps.programs?.volumeGrown(volumeName),
    })
    const run = async (identity: SimulatedNode, own: AbortSignal) => {
      const { name, runtime } = identity
      const network = createSimulatedNetwork(runtime)
      // A node that is cut off cannot be reached.
      const link = new NodeLink((cut) => (cut ? deps.agents.delete(name) : deps.agents.set(name, agent)))
      const client = createClient(link.transport(deps.transport(name)))
      clients.set(name, client)
      const around = { client, clock, log, agent: () => deps.agents.get(name) }
      let topology: NodeTopology | undefined
      const devices =
        deps.devices && (await openNodeDevices(name, deps.devices, { ...around, held: deps.topology && (() => topology?.held) }))
      topology = deps.topology?.open(name, devices)
      const restoring = withDevices(restoringFeed(link.feed(feed), runtime), devices)
      const staticPods = deps.staticPods?.(name)
      const described = () => deps.agents.get(name)?.node()?.metadata.annotations
      const host = createSimulatedHost({ clusterDns, ...deps.topology?.host, described })
      const eviction = deps.eviction.open(name, runtime)
      const shutdown = new NodeShutdown(deps.topology?.kubelet.shutdown ?? DEFAULT_PERIODS, clock)
      const attachments = new NodeAttachments({ client, clock })
      const parts = { host, ...partsOf({ topology, devices, eviction, shutdown, attachments }), ...(staticPods && { staticPods }) }
      const known = deps.listen === true ? await listening(identity, deps) : identity
      const agent: NodeAgent = new NodeAgent(known, {
        client,
        feed: restoring,
        clock,
        log,
        runtime,
        network,
        gate,
        traffic,
        probeCounts: identity.probeCounts,
        ...parts,
      })
      deps.agents.set(name, agent)
      try {
        await register(agent, deps, own)
        if (!own.aborted) await agent.run(own)
      } finally {
        await devices?.[Symbol.asyncDispose]()
      }
    }
    const joining = new AddedNodes({
      nodes: feed.nodes,
      own: new Set(names),
      client: deps.volumesClient,
      waitsForRange: deps.podCidrs !== undefined,
      log,
      open,
      run,
      closed(node) {
        deps.agents.delete(node.name)
        deps.kubelets?.hosts.delete(node.name)
        removed.set(node.name, node)
      },
    })
    await Promise.all([feed.run(signal), growth.run(signal), joining.run(signal), ...nodes.map((node) => run(node, scope.open().signal))])
  }
}

/** Adds the address and the port of its kubelet on this machine to the node. */
async function listening<I extends NodeIdentity>(identity: I, { kubelets }: NodePartDeps): Promise<I> {
  if (kubelets === undefined) return identity
  const { host, port } = await kubelets.listen(identity.name)
  return { ...identity, ip: host, kubeletPort: port }
}

/** The node's parts in order: first those that refuse pods, then those that allocate, driven by the topology manager. */
function partsOf({ topology, devices, eviction, shutdown, attachments }: NodeParts) {
  return {
    admission: [eviction, attachments, devices?.claims, topology?.manager, devices?.manager, shutdown].filter((h) => h !== undefined),
    sources: [eviction, topology?.source, devices?.manager, shutdown, attachments].filter((s) => s !== undefined),
    parts: [eviction, topology?.reconciler, shutdown, attachments].filter((p) => p !== undefined),
    metrics: [topology?.metrics, devices?.metrics, devices?.claims.metrics].filter((m) => m !== undefined),
  }
}

interface NodeParts {
  readonly topology: NodeTopology | undefined
  readonly devices: NodeDevices | undefined
  readonly eviction: OnDemandEviction
  readonly shutdown: NodeShutdown
  readonly attachments: NodeAttachments
}

/** The limit of concurrent event writes of all simulated nodes together. */
const EVENTS_IN_FLIGHT = 16

async function register(agent: NodeAgent, { clock, log }: NodePartDeps, signal: AbortSignal): Promise<void> {
  for (let waitMs = 50; !signal.aborted; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      await agent.register()
      return
    } catch (error) {
      log.warn(`node ${agent.name} could not register, trying again`, { error })
      await pause(clock, waitMs, signal)
    }
  }
}
