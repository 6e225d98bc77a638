import type { Container, Node, Pod } from '../../resources/types/core.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { READS_ANEW } from '../framework/prepared.ts'
import { unresolvable } from '../framework/verdict.ts'

const NAME = 'NodeDeclaredFeatures'
const MISSING = unresolvable(NAME, "node(s) didn't match Pod's required features")

/** Whether the node declares the features that the pod's specification needs (`status.declaredFeatures`, KEP-5328). */
export const nodeDeclaredFeatures: PluginFactory = () => ({
  name: NAME,
  scope: 'node',
  filter({ pod }, { table }) {
    const needed = featuresOf(pod)
    if (needed.length === 0) return undefined
    return { ...READS_ANEW, check: (row) => (has(table.nodes[row], needed) ? undefined : MISSING) }
  },
  hints: {
    'pod-updated': (_pod, { pod, oldPod }) =>
      pod === undefined || oldPod === undefined || String(featuresOf(pod)) !== String(featuresOf(oldPod)),
    'node-added': ({ pod }, { node }) => has(node, featuresOf(pod)),
    'node-updated': ({ pod }, { node, oldNode }) => has(node, featuresOf(pod)) && !has(oldNode, featuresOf(pod)),
  },
})

const has = (node: Readonly<Node> | undefined, needed: readonly string[]) =>
  needed.every((feature) => node?.status?.declaredFeatures?.includes(feature))

const restartsAll = (container: Readonly<Container>) => container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers')

/** The features that decide where a pod can run; the others of 1.36 decide only how a pod can be changed. */
function featuresOf({ spec }: Readonly<Pod>): readonly string[] {
  const needed: string[] = []
  if (spec.containers.some(restartsAll) || spec.initContainers?.some(restartsAll)) needed.push('RestartAllContainersOnContainerExits')
  if (spec.hostNetwork === true && spec.hostUsers === false) needed.push('UserNamespacesHostNetworkSupport')
  return needed
}
