import type { Connector } from '../../apiserver/extension-points.ts'
import type { Clock } from '../../base/clock.ts'
import { badRequest, StatusError } from '../../machinery/status-error.ts'
import type { NodeAgent } from '../../node/agent.ts'
import { LogError, type PodLogQuery } from '../../node/pod/open-log.ts'
import type { Pod } from '../../resources/types/core.ts'
import { type PodLogOptions, podLogOptions } from '../../server/actions/pod-log.ts'

/** Serves `pods/log`: the agent of the pod's node, which runs in this process, reads the log. */
export const podLogConnector =
  (agents: ReadonlyMap<string, Pick<NodeAgent, 'logs'>>, clock: Clock): Connector<Pod> =>
  async (request, answer, tools) => {
    const pod = tools.object()
    const agent = agents.get(pod.spec.nodeName ?? '')
    if (agent === undefined) {
      const message = `the log of pod ${pod.metadata.name} cannot be read: no agent of node ${pod.spec.nodeName} runs in this cluster`
      throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message })
    }
    const options = podLogOptions(request.query)
    const log = read(agent, pod, options)
    answer.start(200, { 'content-type': 'text/plain' })
    let left = options.limitBytes ?? Number.POSITIVE_INFINITY
    for await (const text of log) {
      const bytes = Buffer.from(text).subarray(0, Math.min(left, Number.MAX_SAFE_INTEGER))
      left -= bytes.length
      if (!answer.write(bytes)) await answer.drained()
      if (left <= 0 || request.signal.aborted) break
    }
    answer.end()

    function read(from: Pick<NodeAgent, 'logs'>, of: typeof pod, asked: PodLogOptions): AsyncIterable<string> {
      const container = asked.container || (of.spec.containers[0]?.name ?? '')
      try {
        return from.logs(of, container, logOptions(asked, clock.now()), request.signal)
      } catch (error) {
        throw error instanceof LogError ? badRequest(error.message) : error
      }
    }
  }

function logOptions(asked: PodLogOptions, nowMs: number): PodLogQuery {
  const { tailLines, sinceSeconds, sinceTime, follow, previous, timestamps } = asked
  const sinceMs = sinceSeconds !== undefined ? nowMs - sinceSeconds * 1000 : sinceTime !== undefined ? Date.parse(sinceTime) : undefined
  return { follow, previous, timestamps, ...(tailLines !== undefined && { tailLines }), ...(sinceMs !== undefined && { sinceMs }) }
}
