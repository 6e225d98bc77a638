import type { KubeObject } from '../../machinery/object.ts'
import { conditionOf, isFinished, isTerminating } from '../pods/pod-state.ts'

/** A pod that was to go and stays is told after this long that nobody means it any more. */
const STALE_MS = 120_000

/** When the pod's `DisruptionTarget` is to be taken back, in milliseconds from now; undefined: it has none, or means it. Pure. */
export function staleInMs(pod: KubeObject, nowMs: number): number | undefined {
  if (isTerminating(pod) || isFinished(pod)) return undefined
  const target = conditionOf(pod, 'DisruptionTarget')
  // A kubelet may take as long as it likes.
  if (target?.status !== 'True' || target.reason === 'TerminationByKubelet') return undefined
  return Math.max(0, (Date.parse(target.lastTransitionTime ?? '') || 0) + STALE_MS - nowMs)
}
