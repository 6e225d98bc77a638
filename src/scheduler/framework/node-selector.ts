import { all, compileRequirement, type LabelMatcher, type LabelSet } from '../../machinery/selectors/label-matcher.ts'
import type { NodeSelector, NodeSelectorTerm } from '../../resources/types/core.ts'

/** Whether a node with these labels and this name matches. */
export type NodeMatcher = (labels: LabelSet, name: string) => boolean

/** Terms are alternatives; a term without requirements matches nothing. */
export function nodeSelectorMatcher(selector: NodeSelector): NodeMatcher {
  const terms = (selector.nodeSelectorTerms ?? []).map(nodeSelectorTermMatcher).filter((term) => term !== undefined)
  return (labels, name) => terms.some((term) => term(labels, name))
}

/** Undefined for a term without requirements. */
export function nodeSelectorTermMatcher(term: NodeSelectorTerm): NodeMatcher | undefined {
  const expressions = term.matchExpressions ?? []
  const fields = term.matchFields ?? []
  if (expressions.length === 0 && fields.length === 0) return undefined
  const byLabels: LabelMatcher = all(expressions.map(compileRequirement))
  const byFields: LabelMatcher = all(fields.map(compileRequirement))
  return (labels, name) => byLabels(labels) && (fields.length === 0 || byFields({ 'metadata.name': name }))
}
