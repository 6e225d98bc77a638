import { compileRequirement } from '../../machinery/selectors/label-matcher.ts'
import type { Node, PodSpec, Taint, Toleration } from '../../resources/types/core.ts'

/** Whether a pod of this spec may be on the node at all, by its node selector and its required node affinity. */
export function selectsNode(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  if (Object.entries(spec.nodeSelector ?? {}).some(([k, v]) => labels[k] !== v)) return false
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms === undefined) return true
  return terms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((r) => compileRequirement(r)(labels)) &&
      matchFields.every((r) => r.key === 'metadata.name' && compileRequirement(r)({ 'metadata.name': node.metadata.name ?? '' })),
  )
}

/** Whether the tolerations cover all of the node's taints of these effects. */
export function toleratesNode(tolerations: readonly Toleration[], node: Node, effects: readonly string[]): boolean {
  const taints = node.spec?.taints ?? []
  return taints.filter((t) => effects.includes(t.effect)).every((t) => tolerations.some((x) => tolerates(x, t)))
}

function tolerates(t: Toleration, taint: Taint): boolean {
  if (t.effect && t.effect !== taint.effect) return false
  if (!t.key) return t.operator === 'Exists'
  return t.key === taint.key && (t.operator === 'Exists' || (t.value ?? '') === (taint.value ?? ''))
}
