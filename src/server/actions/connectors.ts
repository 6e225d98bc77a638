import type { Connector } from '../../apiserver/extension-points.ts'
import type { Node, Pod, Service } from '../../resources/types/core.ts'
import type { NodeStreams } from './node-streams.ts'
import { podLog } from './pod-log.ts'
import { podCommand, podPorts, podProxy, proxy } from './pod-stream.ts'

/** Connectors to the nodes (or an address). A request for a missing one fails with a clear error. */
export interface NodeConnectors {
  readonly podLog?: Connector<Pod>
  readonly streams?: NodeStreams
  readonly podProxy?: Connector<Pod>
  readonly nodeProxy?: Connector<Node>
  readonly serviceProxy?: Connector<Service>
}

/** Kubernetes' streams and proxies, by the names that `Subresource.connector` uses. */
export const kubernetesConnectors = (node: NodeConnectors): Readonly<Record<string, Connector>> => ({
  podLog: podLog(node.podLog),
  podExec: podCommand('exec', node.streams),
  podAttach: podCommand('attach', node.streams),
  podPortForward: podPorts(node.streams),
  podProxy: podProxy(node.podProxy),
  nodeProxy: proxy(node.nodeProxy),
  serviceProxy: proxy(node.serviceProxy),
})
