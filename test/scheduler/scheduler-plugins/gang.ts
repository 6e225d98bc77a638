import type { SchedulerPlugin } from '../../../src/sdk/scheduler-plugin/scheduler-plugin.ts'

/** All or nothing: pods with the same label `gang` are bound when as many as the label `gang-size` says have nodes. */
const gang: SchedulerPlugin = {
  permit(pod, _node, waiting) {
    const { gang: name, 'gang-size': size } = pod.metadata.labels ?? {}
    if (name === undefined) return {}
    const others = waiting.filter((w) => w.pod.metadata.labels?.gang === name && w.pod.metadata.namespace === pod.metadata.namespace)
    if (others.length + 1 < Number(size)) return { waitMs: 60_000 }
    return { allow: others.map((w) => w.pod.metadata.uid ?? '') }
  },
}

export default gang
