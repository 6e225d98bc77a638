import type { NodeAgent } from '../../node/agent.ts'
import type { Kubelets } from './kubelets.ts'
import type { NodeReach } from './node-reach.ts'
import { nodeStreams } from './node-streams.ts'
import { agentLogs } from './pod-log.ts'
import { podPort } from './pod-port.ts'

export interface LocalReachDeps extends Pick<NodeReach, 'owns' | 'inside' | 'topologyReport'> {
  /** The agents that run, by the names of their nodes. */
  readonly agents: ReadonlyMap<string, Pick<NodeAgent, 'runtime' | 'logs'>>
  readonly kubelets: Pick<Kubelets, 'connect'>
}

/** The nodes of this thread, as the API server reaches them. */
export const localReach = ({ agents, kubelets, owns, inside, topologyReport }: LocalReachDeps): NodeReach => ({
  owns,
  has: (name) => agents.has(name),
  logs: agentLogs(agents),
  streams: nodeStreams(agents),
  kubelet: (name) => kubelets.connect(name),
  async podPort(pod, port) {
    const agent = agents.get(pod.spec.nodeName ?? '')
    return agent && podPort(agent, pod, port)
  },
  inside,
  topologyReport,
})
