import { podRequests, type ResourceTotals } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../types/pod.ts'

/** Of a resize that is not allocated, whatever the reason, the wanted amounts do not count. */
const NOT_ALLOCATED = [{ type: 'PodResizePending', reason: 'Infeasible' }] as const

/** The requests that a pod holds on its node: while it is resized in place, the larger of the allocated and the actual amounts. */
export function heldRequests({ spec, status }: Pick<Pod, 'spec' | 'status'>): ResourceTotals {
  const waits = status.conditions?.some((c) => c.type === 'PodResizePending') === true
  return podRequests(spec, { status: waits ? { ...status, conditions: NOT_ALLOCATED } : status })
}
