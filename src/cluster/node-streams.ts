import type { KubeObject } from '../machinery/object.ts'
import { StatusError } from '../machinery/status-error.ts'
import type { NodeAgent } from '../node/agent.ts'
import type { NodeStreams } from '../server/actions/node-streams.ts'

type Agent = Pick<NodeAgent, 'runtime' | 'runningContainer' | 'readySandbox'>

/** Hands inside the containers of the nodes whose agents run in this process: what a node's runtime does, for those who ask the API server. */
export function nodeStreams(agents: ReadonlyMap<string, Agent>): NodeStreams {
  const signal = new AbortController().signal
  const agentOf = (pod: KubeObject): Agent => {
    const name: string = pod.spec?.nodeName
    const agent = agents.get(name)
    if (agent !== undefined) return agent
    const message = `no agent of node ${name}, where pod ${pod.metadata.name} runs, is in this cluster`
    throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message })
  }
  const find = async (pod: KubeObject, container: string) => {
    const agent = agentOf(pod)
    const id = await agent.runningContainer(pod, container, signal)
    if (id === undefined) throw notRunning(`container not found ("${container}")`)
    return { id, runtime: agent.runtime }
  }
  return {
    async exec({ pod, container, command }) {
      const { id, runtime } = await find(pod, container)
      return (streams, gone) => runtime.exec(id, command, streams, gone)
    },
    async attach({ pod, container }) {
      const { id, runtime } = await find(pod, container)
      return async (streams, gone) => {
        await runtime.attach(id, streams, gone)
        return { exitCode: 0 }
      }
    },
    async portForward(pod) {
      const agent = agentOf(pod)
      const id = await agent.readySandbox(pod, signal)
      if (id === undefined) throw notRunning(`pod not found ("${pod.metadata.name}_${pod.metadata.namespace}")`)
      return (port, connection) => agent.runtime.portForward(id, port, connection, signal)
    },
  }
}

/** As the kubelet's answer looks from the API server. */
const notRunning = (message: string) =>
  new StatusError({ code: 500, reason: 'InternalError', message: `unable to upgrade connection: ${message}` })
