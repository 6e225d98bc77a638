import type { Duplex } from 'node:stream'
import type { Reader } from '../../machinery/resource/definition.ts'
import { sourceOf } from '../../node/volumes/object-source.ts'
import type { NodeSide } from '../create-node-side.ts'
import { openNodes } from '../nodes/node-part.ts'
import { nameserverOf } from '../programs/programs-part.ts'
import type { RunPart } from '../supervisor.ts'
import { nodeUser } from '../users.ts'
import type { PartDeps } from './part-deps.ts'

/** The dependencies of nodes in addition to those of all parts. */
export interface NodesDeps extends PartDeps {
  readonly nodeSide: NodeSide
  readonly objects: Reader
  /** A connection to the API server's own port. */
  readonly apiServer: () => Duplex | undefined
}

/** The agents of the simulated nodes. */
export async function loadNodes({ setup, access, podRanges, nodeSide, objects, apiServer }: NodesDeps): Promise<RunPart> {
  const { config, clock, random, log, topology, staticPods } = setup
  const { agents, devices, programs, metrics, eviction, kubelets } = nodeSide
  const { script } = setup.deps
  programs.start({
    objects,
    source: sourceOf(objects),
    clientOf: (user) => access.client(user),
    nodeClient: (name) => access.client(nodeUser(name)),
    apiServer,
  })
  const podCidrs = (await podRanges())?.simulated
  return openNodes(setup.nodeNames, {
    transport: (name) => access.transport(nodeUser(name)),
    feedClient: access.client(),
    agents,
    clock,
    random,
    log,
    programs,
    eviction,
    kubelets,
    listen: config.kubeletPorts,
    usage: metrics.usage,
    nameserver: nameserverOf(config.serviceCidr),
    ...(podCidrs && { podCidrs }),
    ...(script && { script }),
    ...(devices && { devices }),
    ...(topology && { topology }),
    ...(staticPods && { staticPods }),
  })
}
