import type { Pod } from '../../resources/types/core.ts'
import type { NodeReach } from './node-reach.ts'

/** What is reached of nodes that are processes of their own. */
export type DialledKubelets = Pick<NodeReach, 'logs' | 'streams' | 'kubelet'>

export interface ReachAllInput {
  readonly own: NodeReach
  /** All others; loaded at the first use. */
  readonly others: () => Promise<DialledKubelets>
}

/** The process's own nodes as they are reached already, all others through their kubelets. */
export function reachAll({ own, others }: ReachAllInput): NodeReach {
  const reachOf = async ({ spec: { nodeName = '' } }: Pod) => (own.owns(nodeName) ? own : others())
  return {
    owns: (name) => own.owns(name),
    has: (name) => own.has(name),
    logs: async (request, signal) => (await reachOf(request.pod)).logs(request, signal),
    streams: {
      exec: async (request) => (await reachOf(request.pod)).streams.exec(request),
      attach: async (request) => (await reachOf(request.pod)).streams.attach(request),
      portForward: async (pod) => (await reachOf(pod)).streams.portForward(pod),
    },
    kubelet: async (name) => (own.owns(name) ? own : await others()).kubelet(name),
    podPort: (pod, port) => own.podPort(pod, port),
    inside: own.inside,
    topologyReport: (pod) => own.topologyReport(pod),
  }
}
