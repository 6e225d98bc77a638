import { parseQuantity } from '../../../machinery/quantity.ts'
import { qosClass } from '../../../resources/pod/qos.ts'
import type { Container, Pod } from '../../types/pod.ts'

/** The kubelet's scores: who promises nothing goes first, who keeps all promises last. */
const GUARANTEED = -997
const BEST_EFFORT = 1000

/** Pods of this priority and above are critical. */
const CRITICAL_PRIORITY = 2_000_000_000

/** Which container's processes the kernel kills first when memory runs out: the less it requested, the sooner. Pure. */
export function oomScoreOf(pod: Pod, container: Container, memoryCapacityBytes: number): number {
  if ((pod.spec.priority ?? 0) >= CRITICAL_PRIORITY) return GUARANTEED
  switch (qosClass(pod.spec)) {
    case 'Guaranteed':
      return GUARANTEED
    case 'BestEffort':
      return BEST_EFFORT
    case 'Burstable': {
      const request = parseQuantity(container.resources?.requests?.memory ?? '0').value()
      const score = 1000 - Math.trunc((1000 * request) / memoryCapacityBytes)
      // Between those of the two other classes.
      return Math.min(Math.max(score, 1000 + GUARANTEED), BEST_EFFORT - 1)
    }
  }
}
