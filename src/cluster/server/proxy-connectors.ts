import type { Duplex } from 'node:stream'
import { type Clock, holding } from '../../base/clock.ts'
import type { NodeConnectors } from '../../server/actions/connectors.ts'
import type { ProxyBackends } from '../../server/proxy/backend.ts'
import type { LocalServer } from '../../server/services/resolve-service.ts'
import type { NodeReach } from '../nodes/node-reach.ts'

export interface ProxyConnectorsDeps {
  readonly nodes: Pick<NodeReach, 'owns' | 'kubelet' | 'podPort' | 'inside'>
  /** By `NAMESPACE/NAME` of their services. */
  readonly services: ReadonlyMap<string, LocalServer>
  readonly clock: Clock
}

type Proxies = Required<Pick<NodeConnectors, 'nodeProxy' | 'podProxy' | 'serviceProxy'>>

/** The proxies to nodes, pods and services. Their code is loaded with the first request. */
export function proxyConnectors({ nodes, services, clock }: ProxyConnectorsDeps): Proxies {
  const backends: ProxyBackends = {
    kubelet: (nodeName) => nodes.kubelet(nodeName),
    pod: (pod, port) => nodes.podPort(pod, port),
    address: async (ip, port) => nodes.inside(ip, port)?.(),
    isSimulated: (nodeName) => nodes.owns(nodeName),
  }
  const local = (namespace: string, name: string) => services.get(`${namespace}/${name}`)?.() as Duplex | undefined
  let made: Promise<Proxies> | undefined
  const load = () => {
    made ??= holding(clock, 'loading the proxies', () => import('../../server/proxy/proxies.ts')).then(({ proxies }) =>
      proxies({ backends, local }),
    )
    return made
  }
  return {
    nodeProxy: async (...call) => (await load()).nodeProxy(...call),
    podProxy: async (...call) => (await load()).podProxy(...call),
    serviceProxy: async (...call) => (await load()).serviceProxy(...call),
  }
}
