import { sourceOf } from '../../node/volumes/object-source.ts'
import { openNodes } from '../nodes/node-part.ts'
import { nameserverOf } from '../programs/programs-part.ts'
import type { RunPart } from '../supervisor.ts'
import { nodeUser } from '../users.ts'
import type { PartDeps } from './part-deps.ts'
import { podRangePlan } from './pod-range-plan.ts'

/** The agents of the simulated nodes. */
export async function loadNodes(deps: PartDeps): Promise<RunPart> {
  const { setup, access, nodeSide, serverPart } = deps
  const { config, clock, random, log, topology, staticPods } = setup
  const { agents, devices, programs, metrics, eviction, kubelets } = nodeSide
  const { script } = setup.deps
  programs.start({
    objects: serverPart.watchCache.reader,
    source: sourceOf(serverPart.watchCache.reader),
    clientOf: (user) => access.client(user),
    nodeClient: (name) => access.client(nodeUser(name)),
    apiServer: () => serverPart.server.connectSecurely(),
  })
  const podCidrs = (await podRangePlan(deps))?.simulated
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
