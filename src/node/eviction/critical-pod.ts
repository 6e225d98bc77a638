import type { Pod } from '../pod/pod-types.ts'

/** From this priority on pods are the system's own. */
const SYSTEM_CRITICAL = 2_000_000_000

export const priorityOf = (pod: Pod): number => pod.spec.priority ?? 0

/** Whether the pod was read from a file of the node, or is the API's mirror of such a one. */
const isStatic = (pod: Pod): boolean => {
  const { 'kubernetes.io/config.source': source = 'api', 'kubernetes.io/config.mirror': mirror } = pod.metadata.annotations ?? {}
  return source !== 'api' || mirror !== undefined
}

/** Whether a node needs the pod to work: it is never evicted, and makes room for itself. */
export const isCritical = (pod: Pod): boolean => isStatic(pod) || priorityOf(pod) >= SYSTEM_CRITICAL

/** Whether the node may end a pod so that another one fits. */
export const isPreemptable = (preemptor: Pod, pod: Pod): boolean =>
  (isCritical(preemptor) && !isCritical(pod)) || priorityOf(preemptor) > priorityOf(pod)
