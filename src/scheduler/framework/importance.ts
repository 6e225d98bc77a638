import type { PodInfo } from '../cache/pod-info.ts'

/** When a pod began to run; one that has not is the youngest. */
export const startOf = (pod: PodInfo): string => pod.startTime ?? '9999'

/** The order in which pods are spared when some have to go: by priority, then by age. */
export const moreImportantFirst = (a: PodInfo, b: PodInfo): number =>
  b.priority - a.priority || (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0)
