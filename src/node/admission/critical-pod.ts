import type { Pod } from '../types/pod.ts'

/** Priorities from here on are reserved for system-critical pods. */
const SYSTEM_CRITICAL = 2_000_000_000

export const priorityOf = (pod: Pod): number => pod.spec.priority ?? 0

/** Whether the pod was read from a manifest file. An annotation on an API object does not count. */
const isStatic = ({ metadata }: Pod): boolean =>
  metadata.resourceVersion === undefined && (metadata.annotations?.['kubernetes.io/config.source'] ?? 'api') !== 'api'

/** Critical pods are never evicted, and other pods are preempted for them. */
export const isCritical = (pod: Pod): boolean => isStatic(pod) || priorityOf(pod) >= SYSTEM_CRITICAL

/** Whether the node may preempt `pod` in favour of `preemptor`. */
export function isPreemptable(preemptor: Pod, pod: Pod): boolean {
  if (isCritical(preemptor) && !isCritical(pod)) return true
  const [own, other] = [preemptor.spec.priority, pod.spec.priority]
  return own !== undefined && other !== undefined && own > other
}
