import type { AdmitHandlers } from './admission/admit-handlers.ts'
import { checkResize } from './admission/fits-node.ts'
import type { NodePodsDeps } from './agent-deps.ts'
import type { PodWorkerDeps } from './pod/pod-worker.ts'
import { StatusTraffic } from './pod/report/status-traffic.ts'
import type { ResizeRefusal } from './types/admit-handler.ts'
import type { Pod } from './types/pod.ts'

/** The parts of `NodePods` that the workers of its pods use. */
interface WorkerParts extends Pick<PodWorkerDeps, 'host' | 'metrics' | 'references' | 'ended' | 'mayGo'> {
  readonly handlers: AdmitHandlers
  /** The pods that count on the node. */
  readonly counted: () => readonly Pod[]
}

/** The dependencies that the workers of all pods of a node share. */
export function podWorkerDeps(
  deps: NodePodsDeps,
  { handlers, host, metrics, references, counted, ended, mayGo }: WorkerParts,
): PodWorkerDeps {
  const { client, clock, log, runtime, network, feed, events, hostIps, probeCounts } = deps
  const refusedBeside = (pod: Pod): ResizeRefusal | undefined => {
    const node = deps.node()
    const others = counted().filter((p) => p.metadata.uid !== pod.metadata.uid)
    return node && checkResize(pod, node, others)
  }
  return {
    client,
    clock,
    log,
    runtime,
    network,
    images: deps.images,
    probeCounts,
    traffic: deps.traffic ?? new StatusTraffic(),
    events,
    metrics,
    references,
    services: (namespace) => feed.services(namespace),
    additions: handlers.additions,
    beforeStart: handlers.beforeStart,
    afterStart: handlers.afterStart,
    afterPrune: handlers.afterPrune,
    beforeSandbox: handlers.beforeSandbox,
    completeSandbox: handlers.completeSandbox,
    completeContainer: handlers.completeContainer,
    clear: handlers.clear,
    completeResources: handlers.completeResources,
    resizePod: handlers.resizePod,
    memoryFault: handlers.memoryFault,
    heldAmounts: handlers.heldAmounts,
    completePull: handlers.completePull,
    afterStop: handlers.afterStop,
    resourceHealth: handlers.resourceHealth,
    hostIps,
    host,
    allocatable: () => deps.node()?.status?.allocatable ?? {},
    resizeRefusal: (pod, given) => handlers.resizeRefusal(pod, given) ?? refusedBeside(pod),
    ended,
    mayGo,
  }
}
