import { createSharedFeed, type SharedFeed } from '../../node/feed.ts'
import { StatusTraffic } from '../../node/pod/report/status-traffic.ts'
import type { NodeShape } from '../../node/status/node-shape.ts'
import { createClaimGrowth } from '../../node/volumes/grow-claims.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createEventGate } from '../../sdk/controller/event-gate.ts'
import type { RunPart } from '../supervisor.ts'
import { AddedNodes } from './added-nodes.ts'
import type { NodePartDeps } from './node-part-deps.ts'
import { type NodePlacing, nodePlaces } from './node-places.ts'
import { runSimulatedNode } from './run-simulated-node.ts'
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
    const run = (node: SimulatedNode, own: AbortSignal) => runSimulatedNode(node, deps, { feed, clients, clusterDns, gate, traffic }, own)
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
    await Promise.all([feed.run(signal), growth.run(signal), joining.run(signal), ...nodes.map((node) => run(node, signal))])
  }
}

/** The limit of concurrent event writes of all simulated nodes together. */
const EVENTS_IN_FLIGHT = 16
