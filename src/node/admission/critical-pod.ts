import type { Pod } from '../types/pod.ts'

/** From this priority on pods are the system's own. */
const SYSTEM_CRITICAL = 2_000_000_000

export const priorityOf = (pod: Pod): number => pod.spec.priority ?? 0

/** Whether the pod was read from a file of the node: what an object of the API says of itself does not count. */
const isStatic = ({ metadata }: Pod): boolean =>
  metadata.resourceVersion === undefined && (metadata.annotations?.['kubernetes.io/config.source'] ?? 'api') !== 'api'

/** Whether a node needs the pod to work: it is never evicted, and makes room for itself. */
export const isCritical = (pod: Pod): boolean => isStatic(pod) || priorityOf(pod) >= SYSTEM_CRITICAL

/** Whether the node may end a pod so that another one fits. */
export function isPreemptable(preemptor: Pod, pod: Pod): boolean {
  if (isCritical(preemptor) && !isCritical(pod)) return true
  const [own, other] = [preemptor.spec.priority, pod.spec.priority]
  return own !== undefined && other !== undefined && own > other
}
