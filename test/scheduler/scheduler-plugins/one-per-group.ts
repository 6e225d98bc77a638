import type { Pod } from '../../../src/resources/types/core.ts'
import type { PluginNode, PluginTools, SchedulerPlugin } from '../../../src/sdk/scheduler-plugin/scheduler-plugin.ts'

/** The state of PreFilter: the pods of the incoming pod's group on each node. */
type Counts = Map<string, number>

const groupOf = (pod: Pod | undefined): string | undefined => pod?.metadata.labels?.group
const countsOf = (tools: PluginTools) => tools.state as Counts
const count = (pod: Pod, other: Pod, node: PluginNode, tools: PluginTools, by: number) => {
  if (groupOf(other) === groupOf(pod)) countsOf(tools).set(node.name, (countsOf(tools).get(node.name) ?? 0) + by)
}

/**
 * At most one pod of a group per node; groups are sorted by their label, and wait for approval. Uses every extension point of waiting and
 * counting.
 */
const plugin: SchedulerPlugin = {
  preEnqueue: (pod) => (pod.metadata.labels?.approved === 'no' ? 'waiting for approval' : undefined),
  sortKey: (pod) => [Number(pod.metadata.labels?.order ?? 0), pod.metadata.name ?? ''],
  preFilter(pod, nodes) {
    if (groupOf(pod) === 'banned') return { reject: 'the group is banned' }
    const state: Counts = new Map(nodes.map(({ name, pods }) => [name, pods.filter((p) => groupOf(p) === groupOf(pod)).length]))
    return { state, ...(pod.metadata.labels?.only === undefined ? {} : { nodes: [pod.metadata.labels.only] }) }
  },
  addPod: (pod, other, node, tools) => count(pod, other, node, tools, 1),
  removePod: (pod, other, node, tools) => count(pod, other, node, tools, -1),
  filter(pod, node, tools) {
    return groupOf(pod) !== undefined && (countsOf(tools).get(node.name) ?? 0) > 0 ? 'node(s) had a pod of the group' : undefined
  },
  preScore: (_pod, nodes) => Math.max(...nodes.map((n) => n.pods.length)),
  score: (_pod, node, tools) => Number(tools.state) - node.pods.length,
  normalizeScores() {},
  hints: {
    'node-added': true,
    'pod-updated': true,
    'assigned-pod-deleted': (pod, event) => groupOf(event.pod) === groupOf(pod),
  },
}
export default plugin
