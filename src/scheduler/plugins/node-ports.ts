import { clash } from '../../resources/pod/host-ports.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { podInfo } from '../cache/pod-info.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { unschedulable } from '../framework/verdict.ts'

const NAME = 'NodePorts'
const TAKEN = unschedulable(NAME, "node(s) didn't have free ports for the requested pod ports")

/** Whether the pod's host ports are free. */
export const nodePorts: PluginFactory = () => ({
  name: NAME,
  scope: 'node',
  filter(pod, { table }) {
    if (pod.hostPorts.length === 0) return undefined
    return {
      check(row) {
        for (const other of table.pods[row] ?? []) if (conflict(pod, other)) return TAKEN
        return undefined
      },
    }
  },
  hints: {
    'node-added': () => true,
    'node-updated': () => true,
    'pod-updated': () => true,
    'assigned-pod-deleted': (pod, { pod: gone }) => gone !== undefined && conflict(pod, podInfo(gone)),
  },
})

function conflict(pod: PodInfo, other: PodInfo): boolean {
  if (other.hostPorts.length === 0) return false
  return pod.hostPorts.some((a) => other.hostPorts.some((b) => clash(a, b)))
}
