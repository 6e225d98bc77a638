import type { Pod } from '../../resources/types/core.ts'
import { conditionOf, isFinished, isTerminating } from '../pods/pod-state.ts'

/** A disruption target that is not deleted for this long loses the condition. As upstream. */
const STALE_MS = 120_000

/** How long until the pod's condition `DisruptionTarget` is stale; undefined without one, or if it will be deleted. Pure. */
export function staleInMs(pod: Pod, nowMs: number): number | undefined {
  if (isTerminating(pod) || isFinished(pod)) return undefined
  const target = conditionOf(pod, 'DisruptionTarget')
  // A kubelet may take as long as it needs.
  if (target?.status !== 'True' || target.reason === 'TerminationByKubelet') return undefined
  return Math.max(0, (Date.parse(target.lastTransitionTime ?? '') || 0) + STALE_MS - nowMs)
}
