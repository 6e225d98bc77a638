import type { PluginFactory } from '../framework/plugin.ts'
import { unresolvable } from '../framework/verdict.ts'

const NAME = 'NodeName'
const OTHER = unresolvable(NAME, "node(s) didn't match the requested node name")

/** A pod that names its node goes there. */
export const nodeName: PluginFactory = () => ({
  name: NAME,
  scope: 'node',
  filter(pod, { table }) {
    const wanted = pod.pod.spec.nodeName
    if (!wanted) return undefined
    return { check: (row) => (table.names[row] === wanted ? undefined : OTHER) }
  },
  hints: { 'node-added': (pod, { node }) => !pod.pod.spec.nodeName || node?.metadata.name === pod.pod.spec.nodeName },
})
