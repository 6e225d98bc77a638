import { child, index } from '../../machinery/field-error.ts'
import type { NodeSelectorTerm } from './types.ts'

const OLD_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}

/** What is wrong with using a label of nodes: `deprecated since v1.9`; undefined: nothing. */
export const oldLabelText = (name = ''): string | undefined => (Object.hasOwn(OLD_LABELS, name) ? OLD_LABELS[name] : undefined)

/** Warnings of the deprecated labels in a term of a node selector. */
export function termWarnings({ matchExpressions = [] }: NodeSelectorTerm, path: string): string[] {
  return matchExpressions.flatMap(({ key: name }, i) => {
    const text = oldLabelText(name)
    return text === undefined ? [] : [`${child(index(child(path, 'matchExpressions'), i), 'key')}: ${name} is ${text}`]
  })
}

/** Those of all terms; `path` is that of the node selector. */
export const nodeSelectorWarnings = (terms: readonly NodeSelectorTerm[] | undefined, path: string): string[] =>
  (terms ?? []).flatMap((term, i) => termWarnings(term, index(child(path, 'nodeSelectorTerms'), i)))
