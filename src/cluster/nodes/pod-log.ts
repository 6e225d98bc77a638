import type { Connector } from '../../apiserver/extension-points.ts'
import type { Clock } from '../../base/clock.ts'
import { badRequest } from '../../machinery/status-error.ts'
import type { NodeAgent } from '../../node/agent.ts'
import { LogError, type PodLogQuery } from '../../node/pod/open-log.ts'
import type { Pod } from '../../resources/types/core.ts'
import { type PodLogOptions, podLogOptions } from '../../server/actions/pod-log.ts'
import { type NodeReach, type PodLogRequest, unreachable } from './node-reach.ts'

/** Serves `pods/log`: the agent of the pod's node reads the log. */
export const podLogConnector =
  (nodes: Pick<NodeReach, 'logs'>, clock: Clock): Connector<Pod> =>
  async (request, answer, tools) => {
    const pod = tools.object()
    const options = podLogOptions(request.query)
    const container = options.container || (pod.spec.containers[0]?.name ?? '')
    const log = await nodes.logs({ pod, container, query: logQuery(options, clock.now()) }, request.signal)
    answer.start(200, { 'content-type': 'text/plain' })
    let left = options.limitBytes ?? Number.POSITIVE_INFINITY
    for await (const text of log) {
      const bytes = Buffer.from(text).subarray(0, Math.min(left, Number.MAX_SAFE_INTEGER))
      left -= bytes.length
      if (!answer.write(bytes)) await answer.drained()
      if (left <= 0 || request.signal.aborted) break
    }
    answer.end()
  }

function logQuery(requested: PodLogOptions, nowMs: number): PodLogQuery {
  const { tailLines, sinceSeconds, sinceTime, follow, previous, timestamps } = requested
  const sinceMs = sinceSeconds !== undefined ? nowMs - sinceSeconds * 1000 : sinceTime !== undefined ? Date.parse(sinceTime) : undefined
  return { follow, previous, timestamps, ...(tailLines !== undefined && { tailLines }), ...(sinceMs !== undefined && { sinceMs }) }
}

/** Reads logs by the agents of this thread. */
export const agentLogs =
  (agents: ReadonlyMap<string, Pick<NodeAgent, 'logs'>>): NodeReach['logs'] =>
  async ({ pod, container, query }: PodLogRequest, signal) => {
    const { nodeName = '' } = pod.spec
    const agent = agents.get(nodeName)
    if (agent === undefined)
      throw unreachable(`the log of pod ${pod.metadata.name} cannot be read: no agent of node ${nodeName} runs in this cluster`)
    try {
      return agent.logs(pod, container, query, signal)
    } catch (error) {
      throw error instanceof LogError ? badRequest(error.message) : error
    }
  }
