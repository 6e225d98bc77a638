import type { Connector } from '../../apiserver/extension-points.ts'
import { podLog } from './pod-log.ts'
import { podStream, proxy } from './pod-stream.ts'

/** What opens a connection on the node (or to an address); a missing one is answered with a clear error. */
export type NodeConnectors = Readonly<Record<string, Connector>>

/** Kubernetes' streams and proxies, by the names that `Subresource.connector` uses. */
export const kubernetesConnectors = (node: NodeConnectors): Readonly<Record<string, Connector>> => ({
  podLog: podLog(node.podLog),
  podExec: podStream('podExec', node.podExec),
  podAttach: podStream('podAttach', node.podAttach),
  podPortForward: podStream('podPortForward', node.podPortForward),
  podProxy: proxy(node.podProxy),
  nodeProxy: proxy(node.nodeProxy),
  serviceProxy: proxy(node.serviceProxy),
})
