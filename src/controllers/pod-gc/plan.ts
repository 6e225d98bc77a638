import type { Node, Pod } from '../../resources/types/core.ts'
import { conditionOf, createdMs, isFinished, isTerminating } from '../pods/pod-state.ts'

/** As kube-controller-manager's `--terminated-pod-gc-threshold`. */
export const TERMINATED_PODS_KEPT = 12_500
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'

export interface PodGcView {
  readonly pods: readonly Pod[]
  /** Names of the nodes that exist. */
  readonly nodes: ReadonlySet<string>
  /** Names of the nodes that are tainted as out of service, and are not ready. */
  readonly outOfService: ReadonlySet<string>
}

/** A pod that no kubelet will ever delete. */
export interface StrandedPod {
  readonly pod: Pod
  /** `orphaned`: its node is gone. `ended`: it is deleted, and nothing ends it. `old`: it finished long ago. */
  readonly why: 'orphaned' | 'ended' | 'old'
}

/** Pods of nodes that are gone or out of service, those that were deleted before they had a node, and old finished ones. Pure. */
export function planPodGc({ pods, nodes, outOfService }: PodGcView): readonly StrandedPod[] {
  const finished = pods.filter(isFinished)
  const old = new Set(
    finished.toSorted((a, b) => createdMs(a) - createdMs(b)).slice(0, Math.max(0, finished.length - TERMINATED_PODS_KEPT)),
  )
  const whyOf = (pod: Pod): StrandedPod['why'] | undefined => {
    const node = pod.spec.nodeName
    if (node && !nodes.has(node)) return 'orphaned'
    if (isTerminating(pod) && (!node || outOfService.has(node))) return 'ended'
    return old.has(pod) ? 'old' : undefined
  }
  return pods.flatMap((pod) => {
    const why = whyOf(pod)
    return why === undefined ? [] : [{ pod, why }]
  })
}

export const isOutOfService = (node: Node): boolean =>
  conditionOf(node, 'Ready')?.status !== 'True' && (node.spec?.taints ?? []).some((t) => t.key === OUT_OF_SERVICE)
