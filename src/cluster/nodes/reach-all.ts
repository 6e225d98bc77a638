import type { Pod } from '../../resources/types/core.ts'
import type { NodeReach } from './node-reach.ts'

/** What is reached of nodes that are processes of their own. */
export type DialledKubelets = Pick<NodeReach, 'logs' | 'streams' | 'kubelet'>

export interface ReachAllInput {
  readonly own: NodeReach
  /** The names of the process's own nodes. */
  readonly names: ReadonlySet<string>
  /** All others; loaded at the first use. */
  readonly others: () => Promise<DialledKubelets>
}

/** The process's own nodes as they are reached already, all others through their kubelets. */
export function reachAll({ own, names, others }: ReachAllInput): NodeReach {
  const reachOf = async ({ spec: { nodeName = '' } }: Pod) => (names.has(nodeName) ? own : others())
  return {
    has: (name) => own.has(name),
    logs: async (request, signal) => (await reachOf(request.pod)).logs(request, signal),
    streams: {
      exec: async (request) => (await reachOf(request.pod)).streams.exec(request),
      attach: async (request) => (await reachOf(request.pod)).streams.attach(request),
      portForward: async (pod) => (await reachOf(pod)).streams.portForward(pod),
    },
    kubelet: async (name) => (names.has(name) ? own : await others()).kubelet(name),
    podPort: (pod, port) => own.podPort(pod, port),
    inside: own.inside,
    topologyReport: (pod) => own.topologyReport(pod),
  }
}
