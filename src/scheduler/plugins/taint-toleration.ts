import type { Node, Taint, Toleration } from '../../resources/types/core.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { unresolvable, type Verdict } from '../framework/verdict.ts'

const NAME = 'TaintToleration'
const UNTOLERATED = unresolvable(NAME, 'node(s) had untolerated taint(s)')

/**
 * Whether the pod tolerates the node's taints; prefers nodes with the fewest untolerated PreferNoSchedule taints. Computed once for each
 * set of taints, not for each node.
 */
export const taintToleration: PluginFactory = () => ({
  name: NAME,
  scope: 'node',
  epoch: ({ table }) => table.taintSets.length,
  filter(pod, { table }) {
    if (table.taintSets.length === 1) return undefined
    const tolerations = pod.pod.spec.tolerations ?? []
    const bySet: (Verdict | undefined | null)[] = []
    const { taintSet, taintSets } = table
    return {
      check(row) {
        const set = taintSet[row] ?? 0
        if (set === 0) return undefined
        let verdict = bySet[set]
        if (verdict === undefined) {
          verdict = findUntolerated(taintSets[set] ?? [], tolerations) === undefined ? null : UNTOLERATED
          bySet[set] = verdict
        }
        return verdict ?? undefined
      },
    }
  },
  score(pod, { table }) {
    if (table.taintSets.length === 1) return { normalize: 'lowest', of: () => 0, nothing: true }
    const tolerations = (pod.pod.spec.tolerations ?? []).filter((t) => !t.effect || t.effect === 'PreferNoSchedule')
    const bySet: (number | undefined)[] = []
    const { taintSet, taintSets } = table
    return {
      normalize: 'lowest',
      of(row) {
        const set = taintSet[row] ?? 0
        if (set === 0) return 0
        bySet[set] ??= (taintSets[set] ?? []).filter(
          (t) => t.effect === 'PreferNoSchedule' && !tolerations.some((o) => tolerates(o, t)),
        ).length
        return bySet[set] ?? 0
      },
    }
  },
  hints: {
    'node-added': (pod, { node }) => node !== undefined && bears(pod.pod.spec.tolerations, node),
    'node-updated': (pod, { node, oldNode }) =>
      node !== undefined && bears(pod.pod.spec.tolerations, node) && (oldNode === undefined || !bears(pod.pod.spec.tolerations, oldNode)),
    'pod-updated': () => true,
  },
})

const bears = (tolerations: readonly Toleration[] | undefined, node: Readonly<Node>) =>
  findUntolerated(node.spec?.taints ?? [], tolerations ?? []) === undefined

/** The first taint with effect NoSchedule or NoExecute that nothing tolerates. */
export function findUntolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): Taint | undefined {
  return taints.find(
    (taint) => (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !tolerations.some((t) => tolerates(t, taint)),
  )
}

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  const operator = toleration.operator || 'Equal'
  if (operator === 'Exists') return true
  if (!toleration.key) return false
  const [ours, theirs] = [toleration.value ?? '', taint.value ?? '']
  if (operator === 'Equal') return ours === theirs
  if (!WHOLE.test(ours) || !WHOLE.test(theirs)) return false
  if (operator === 'Lt') return BigInt(theirs) < BigInt(ours)
  return operator === 'Gt' && BigInt(theirs) > BigInt(ours)
}

const WHOLE = /^(0|-?[1-9]\d*)$/
