import type { Duplex } from 'node:stream'
import { type Clock, holding } from '../../base/clock.ts'
import { dialRefused } from '../../base/http/network-error.ts'
import { linkedPair } from '../../base/stream-pair.ts'
import type { NodeAgent } from '../../node/agent.ts'
import { findSandbox } from '../../node/pod/find-container.ts'
import { uidOnNode } from '../../node/static-pods/mirror-pods.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { NodeConnectors } from '../../server/actions/connectors.ts'
import type { ProxyBackends } from '../../server/proxy/backend.ts'
import type { InsideNetwork, LocalServer } from '../../server/services/resolve-service.ts'
import { wireOf } from '../../streaming/wire.ts'
import type { Kubelets } from '../nodes/kubelets.ts'

export interface ProxyConnectorsDeps {
  readonly agents: ReadonlyMap<string, Pick<NodeAgent, 'runtime'>>
  readonly kubelets: Pick<Kubelets, 'connect' | 'hosts'>
  /** By `NAMESPACE/NAME` of their services. */
  readonly services: ReadonlyMap<string, LocalServer>
  /** The part of the cluster's network that is simulated in this process. */
  readonly inside: InsideNetwork
  readonly clock: Clock
}

type Proxies = Required<Pick<NodeConnectors, 'nodeProxy' | 'podProxy' | 'serviceProxy'>>

/** The proxies to nodes, pods and services. Their code is loaded with the first request. */
export function proxyConnectors({ agents, kubelets, services, inside, clock }: ProxyConnectorsDeps): Proxies {
  const backends: ProxyBackends = {
    kubelet: (nodeName) => kubelets.connect(nodeName),
    pod: async (pod, port) => {
      const agent = agents.get(pod.spec?.nodeName ?? '')
      return agent && podPort(agent, pod, port)
    },
    address: async (ip, port) => inside(ip, port)?.(),
    isSimulated: (nodeName) => kubelets.hosts.has(nodeName),
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

const never = new AbortController().signal

/** A connection to a port of a pod, through its runtime. */
async function podPort(agent: Pick<NodeAgent, 'runtime'>, pod: Pod, port: number): Promise<Duplex> {
  const [near, far] = linkedPair()
  far.on('error', () => {})
  const refused = () => near.destroy(new Error(dialRefused(`${pod.status?.podIP}:${port}`)))
  const sandbox = await findSandbox(agent.runtime, uidOnNode(pod), never)
  if (sandbox === undefined) refused()
  else {
    const { sink } = wireOf(far)
    // A side that has stopped reading may still write.
    const source: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => far.iterator({ destroyOnReturn: false }) }
    // It is ended together with the whole connection, so that a refusal is not taken for an empty response.
    const open = { write: (chunk: Uint8Array) => sink.write(chunk), end: async () => {} }
    agent.runtime.portForward(sandbox, port, { source, sink: open }, never).then(() => far.end(), refused)
  }
  return near
}
