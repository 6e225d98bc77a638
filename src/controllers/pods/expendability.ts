import type { Pod } from '../../resources/types/core.ts'
import { byAge, conditionOf, isReady, restarts } from './pod-state.ts'

const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }
const COST = 'controller.kubernetes.io/pod-deletion-cost'

const flag = (x: boolean, y: boolean) => Number(x) - Number(y)
const cost = (pod: Pod) => Number.parseInt(pod.metadata.annotations?.[COST] ?? '0', 10) || 0
const phase = (pod: Pod) => PHASE_ORDER[pod.status?.phase ?? 'Pending'] ?? 1
const readySince = (pod: Pod) => Date.parse(conditionOf(pod, 'Ready')?.lastTransitionTime ?? '') || 0

/**
 * Compares two pods by which should be deleted first, as Kubernetes' `ActivePodsWithRanks`: the first difference decides.
 * `podsOnNode`: how many pods of the same work run on each node.
 */
export function expendability(a: Pod, b: Pod, podsOnNode?: ReadonlyMap<string, number>): number {
  const rank = ({ spec }: Pod) => podsOnNode?.get(spec.nodeName ?? '') ?? 0
  return (
    flag(Boolean(a.spec.nodeName), Boolean(b.spec.nodeName)) ||
    phase(a) - phase(b) ||
    flag(isReady(a), isReady(b)) ||
    (podsOnNode === undefined ? 0 : cost(a) - cost(b) || rank(b) - rank(a)) ||
    (isReady(a) && isReady(b) ? readySince(b) - readySince(a) : 0) ||
    restarts(b) - restarts(a) ||
    byAge(b, a)
  )
}
