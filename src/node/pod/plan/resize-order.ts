import { podRequests } from '../../../resources/pod/pod-requests.ts'
import { qosClass } from '../../../resources/pod/qos.ts'
import type { Pod } from '../../types/pod.ts'

/** A pod whose resize has to wait: as its spec wants it, and with the resources that are allocated to it. */
export interface PendingResize {
  readonly pod: Pod
  readonly given: Pod
}

/**
 * Compares two pending resizes; the first is tried first, as by the kubelet: those that ask for no more, then by priority, by QoS class,
 * and by how long they wait.
 */
export function compareResizes(a: PendingResize, b: PendingResize): number {
  return (
    Number(asksForMore(a)) - Number(asksForMore(b)) ||
    priorityOf(b) - priorityOf(a) ||
    Number(isGuaranteed(b)) - Number(isGuaranteed(a)) ||
    waitsSince(a) - waitsSince(b)
  )
}

function asksForMore({ pod, given }: PendingResize): boolean {
  const [wanted, held] = [podRequests(pod.spec), podRequests(given.spec)]
  return ['cpu', 'memory'].some((name) => {
    const [to, from] = [wanted.get(name), held.get(name)]
    return to !== undefined && (from === undefined || to.compare(from) > 0)
  })
}

const priorityOf = ({ pod }: PendingResize) => pod.spec.priority ?? 0

const isGuaranteed = ({ pod }: PendingResize) => qosClass(pod.spec) === 'Guaranteed'

/** A resize that was not reported yet has just begun to wait. */
function waitsSince({ pod }: PendingResize): number {
  const since = pod.status.conditions?.find((c) => c.type === 'PodResizePending')?.lastTransitionTime
  return since === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(since)
}
