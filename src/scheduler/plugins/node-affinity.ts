import type { Node, NodeAffinity, Pod } from '../../resources/types/core.ts'
import { type NodeMatcher, nodeSelectorMatcher, nodeSelectorTermMatcher } from '../framework/node-selector.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { unresolvable } from '../framework/verdict.ts'

const NAME = 'NodeAffinity'
const MISMATCH = unresolvable(NAME, "node(s) didn't match Pod's node affinity/selector")
const ENFORCED = unresolvable(NAME, "node(s) didn't match scheduler-enforced node affinity")
const CONFLICT = unresolvable(NAME, 'pod affinity terms conflict')

/** `spec.nodeSelector` and node affinity, and the affinity that the configuration adds. */
export const nodeAffinity: PluginFactory = (args) => {
  const added = args.addedAffinity as NodeAffinity | undefined
  const enforced = added?.requiredDuringSchedulingIgnoredDuringExecution
  const addedFits = enforced === undefined ? undefined : nodeSelectorMatcher(enforced)
  const addedPreferred = added?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return {
    name: NAME,
    scope: 'node',
    filter(pod, { table }) {
      const required = requiredNodeAffinity(pod.pod)
      if (required === undefined && addedFits === undefined) return undefined
      const nodes = namedNodes(pod.pod)
      if (nodes?.size === 0) return { refuse: CONFLICT }
      return {
        ...(nodes === undefined ? {} : { nodes }),
        check(row) {
          const labels = table.labels[row] ?? {}
          const name = table.names[row] ?? ''
          if (addedFits !== undefined && !addedFits(labels, name)) return ENFORCED
          return required === undefined || required(labels, name) ? undefined : MISMATCH
        },
      }
    },
    score(pod, { table }) {
      const own = pod.pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
      const terms = [...addedPreferred, ...own].map((t) => ({ weight: t.weight, fits: nodeSelectorTermMatcher(t.preference) }))
      if (terms.length === 0) return undefined
      return {
        normalize: 'highest',
        of(row) {
          let sum = 0
          for (const term of terms) if (term.fits?.(table.labels[row] ?? {}, table.names[row] ?? '')) sum += term.weight
          return sum
        },
      }
    },
    hints: {
      'node-added': (pod, { node }) => node !== undefined && fits(pod.pod, addedFits, node),
      'node-updated': (pod, { node, oldNode }) =>
        node !== undefined && fits(pod.pod, addedFits, node) && (oldNode === undefined || !fits(pod.pod, addedFits, oldNode)),
      'pod-updated': () => true,
    },
  }
}

function fits(pod: Readonly<Pod>, added: NodeMatcher | undefined, node: Readonly<Node>): boolean {
  const [labels, name] = [node.metadata.labels ?? {}, node.metadata.name ?? '']
  return (added?.(labels, name) ?? true) && (requiredNodeAffinity(pod)?.(labels, name) ?? true)
}

/** What the pod requires of its node's labels and name; undefined when nothing. */
export function requiredNodeAffinity(pod: Readonly<Pod>): NodeMatcher | undefined {
  const { nodeSelector, affinity } = pod.spec
  const pairs = Object.entries(nodeSelector ?? {})
  const selector = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (pairs.length === 0 && selector === undefined) return undefined
  const byAffinity = selector === undefined ? undefined : nodeSelectorMatcher(selector)
  return (labels, name) => pairs.every(([key, value]) => labels[key] === value) && (byAffinity?.(labels, name) ?? true)
}

/** The names that the pod's affinity allows when every alternative names its nodes; undefined when some alternative does not. */
function namedNodes(pod: Readonly<Pod>): ReadonlySet<string> | undefined {
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms === undefined || terms.length === 0) return undefined
  const names = new Set<string>()
  for (const term of terms) {
    let own: Set<string> | undefined
    for (const field of term.matchFields ?? []) {
      if (field.key !== 'metadata.name' || field.operator !== 'In') continue
      const values = new Set(field.values)
      own = own === undefined ? values : own.intersection(values)
    }
    if (own === undefined) return undefined
    for (const name of own) names.add(name)
  }
  return names
}
