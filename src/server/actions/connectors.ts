import type { Connector } from '../../apiserver/extension-points.ts'
import type { NodeStreams } from './node-streams.ts'
import { podLog } from './pod-log.ts'
import { podCommand, podPorts, proxy } from './pod-stream.ts'

/** What reaches the nodes (or an address); a missing one is answered with a clear error. */
export interface NodeConnectors {
  readonly podLog?: Connector
  readonly streams?: NodeStreams
  readonly podProxy?: Connector
  readonly nodeProxy?: Connector
  readonly serviceProxy?: Connector
}

/** Kubernetes' streams and proxies, by the names that `Subresource.connector` uses. */
export const kubernetesConnectors = (node: NodeConnectors): Readonly<Record<string, Connector>> => ({
  podLog: podLog(node.podLog),
  podExec: podCommand('exec', node.streams),
  podAttach: podCommand('attach', node.streams),
  podPortForward: podPorts(node.streams),
  podProxy: proxy(node.podProxy),
  nodeProxy: proxy(node.nodeProxy),
  serviceProxy: proxy(node.serviceProxy),
})
