import type { Duplex } from 'node:stream'
import type { Connector } from '../../apiserver/extension-points.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import type { Node, Pod, Service } from '../../resources/types/core.ts'
import { nodeBackend, type ProxyBackends, podBackend, serviceBackend } from './backend.ts'
import { forwardProxy } from './forward-proxy.ts'

export interface ProxyDeps {
  readonly backends: ProxyBackends
  /** Servers of this process, by the namespace and name of their service. */
  readonly local: (namespace: string, name: string) => Duplex | undefined
}

export interface Proxies {
  readonly nodeProxy: Connector<Node>
  readonly podProxy: Connector<Pod>
  readonly serviceProxy: Connector<Service>
}

/** The proxies of nodes, pods and services, by connector name. */
export function proxies({ backends, local }: ProxyDeps): Proxies {
  return {
    nodeProxy: (request, answer, tools) => forwardProxy(request, answer, nodeBackend(tools.object(), request, backends)),
    podProxy: (request, answer, tools) => forwardProxy(request, answer, podBackend(tools.object(), request, backends)),
    serviceProxy(request, answer, tools) {
      const reader: Reader = tools.reader
      const pick = (count: number) => tools.random.int(count)
      return forwardProxy(request, answer, serviceBackend(tools.object(), request, { backends, reader, local, pick }))
    },
  }
}
