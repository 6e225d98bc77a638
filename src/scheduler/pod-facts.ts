import { equalJson } from '../machinery/equal.ts'
import type { Pod } from '../resources/types/core.ts'

/** The scheduler of a pod that names none. */
export const DEFAULT_SCHEDULER = 'default-scheduler'

/** `spec.schedulerName`, or the default's name. */
export const schedulerNameOf = (pod: Readonly<Pod>): string => pod.spec.schedulerName ?? DEFAULT_SCHEDULER

export const priorityOf = (pod: Readonly<Pod>): number => pod.spec.priority ?? 0

/** Whether two states of a waiting pod request the same: everything but the status, of which only the generated claims count. */
export function asksTheSame(a: Readonly<Pod>, b: Readonly<Pod>): boolean {
  const { metadata: of } = a
  const { metadata: and } = b
  return (
    equalJson(of.labels, and.labels) &&
    equalJson(of.annotations, and.annotations) &&
    equalJson(of.ownerReferences, and.ownerReferences) &&
    equalJson(a.spec, b.spec) &&
    equalJson(a.status?.resourceClaimStatuses, b.status?.resourceClaimStatuses)
  )
}

/** A pod that has run to its end, and holds nothing any more. */
export const isFinished = (pod: Readonly<Pod>): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
