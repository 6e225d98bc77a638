import type { Pod } from '../../../src/resources/types/core.ts'
import type { PluginNode, SchedulerPlugin } from '../../../src/sdk/scheduler-plugin/scheduler-plugin.ts'

/** Packs dongles: prefers nodes with the fewest free ones, so that whole nodes stay free for pods that need many. */
const DONGLE = 'example.com/dongle'

const requested = (pod: Pod) => pod.spec.containers.reduce((sum, c) => sum + Number(c.resources?.requests?.[DONGLE] ?? 0), 0)

const free = ({ node, pods }: PluginNode) =>
  Number(node.status?.allocatable?.[DONGLE] ?? 0) - pods.reduce((sum, pod) => sum + requested(pod), 0)

const donglePacking: SchedulerPlugin = {
  filter(pod, node, { args }) {
    const reserve = Number(args.keepFree ?? 0)
    if (requested(pod) === 0 || free(node) - requested(pod) >= reserve) return undefined
    return `node(s) would have fewer than ${reserve} dongles left`
  },
  score: (pod, node) => (requested(pod) === 0 ? 0 : -free(node)),
  normalizeScores(_pod, scores) {
    const lowest = Math.min(...scores.values())
    const span = Math.max(...scores.values()) - lowest
    for (const [node, score] of scores) scores.set(node, span === 0 ? 0 : (100 * (score - lowest)) / span)
  },
}

export default donglePacking
