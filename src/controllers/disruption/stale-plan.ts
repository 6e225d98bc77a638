import type { KubeObject } from '../../machinery/object.ts'
import { isFinished, isTerminating } from '../pods/pod-state.ts'

/** A pod that was to go and stays is told after this long that nobody means it any more. */
const STALE_MS = 120_000

interface PodCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly lastTransitionTime?: string
}

/** When the pod's `DisruptionTarget` is to be taken back, in milliseconds from now; undefined: it has none, or means it. Pure. */
export function staleInMs(pod: KubeObject, nowMs: number): number | undefined {
  if (isTerminating(pod) || isFinished(pod)) return undefined
  const conditions: readonly PodCondition[] = pod.status?.conditions ?? []
  const target = conditions.find((c) => c.type === 'DisruptionTarget' && c.status === 'True')
  // A kubelet may take as long as it likes.
  if (target === undefined || target.reason === 'TerminationByKubelet') return undefined
  return Math.max(0, (Date.parse(target.lastTransitionTime ?? '') || 0) + STALE_MS - nowMs)
}
