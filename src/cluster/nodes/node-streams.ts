import { StatusError } from '../../machinery/status-error.ts'
import type { NodeAgent } from '../../node/agent.ts'
import { attachTo, commandIn, NotRunningError, portsOf } from '../../node/api/container-streams.ts'
import type { Pod as NodePod } from '../../node/types/pod.ts'
import type { Pod } from '../../resources/types/core.ts'
import { NodeRefusal, type NodeStreams } from '../../server/actions/node-streams.ts'

type Agent = Pick<NodeAgent, 'runtime'>

/**
 * exec, attach and port-forward into containers of the nodes whose agents run in this process, for the API server.
 */
export function nodeStreams(agents: ReadonlyMap<string, Agent>): NodeStreams {
  const runtimeOf = (pod: Pod) => {
    const name = pod.spec.nodeName ?? ''
    const agent = agents.get(name)
    if (agent !== undefined) return agent.runtime
    const message = `no agent of node ${name}, where pod ${pod.metadata.name} runs, is in this cluster`
    throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message })
  }
  return {
    exec: ({ pod, container, command }) => found(commandIn(runtimeOf(pod), pod as NodePod, container, command)),
    attach: ({ pod, container }) => found(attachTo(runtimeOf(pod), pod as NodePod, container)),
    portForward: (pod) => found(portsOf(runtimeOf(pod), pod as NodePod)),
  }
}

/** The error as the API server gets it from a kubelet. */
const found = <T>(requested: Promise<T>): Promise<T> =>
  requested.catch((error: unknown) => {
    if (!(error instanceof NotRunningError)) throw error
    throw new NodeRefusal(500, error.message)
  })
