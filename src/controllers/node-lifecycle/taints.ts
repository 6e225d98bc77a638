import { millisecondsOf } from '../../machinery/go/go-duration.ts'
import type { Pod, Taint, Toleration } from '../../resources/types/core.ts'

/** Those that evict pods. */
export const evicting = (taints: readonly Taint[] = []): readonly Taint[] => taints.filter((t) => t.effect === 'NoExecute')

/** A toleration of so many seconds, the largest int64, has no limit. */
const NO_LIMIT = 2n ** 63n - 1n

/** How long the pod may stay under the node's taints `NoExecute`: undefined for ever, 0 not at all. Pure. */
export function stayMs(pod: Pod, taints: readonly Taint[]): number | undefined {
  const { tolerations = [] } = pod.spec
  let shortest: number | undefined
  for (const taint of evicting(taints)) {
    // The first toleration that matches counts.
    const toleration = tolerations.find((t) => tolerates(t, taint))
    if (toleration === undefined) return 0
    const { tolerationSeconds: seconds } = toleration
    if (seconds === undefined || seconds >= NO_LIMIT) continue
    shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, Math.max(0, millisecondsOf(seconds)))
  }
  return shortest
}

function tolerates(t: Toleration, taint: Taint): boolean {
  if (t.effect && t.effect !== taint.effect) return false
  if (!t.key) return t.operator === 'Exists'
  if (t.key !== taint.key) return false
  return t.operator === 'Exists' || (t.value ?? '') === (taint.value ?? '')
}
