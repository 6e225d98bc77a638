import type { DaemonSetStatus } from '../../resources/types/apps.ts'
import { isAvailable, isReady, withoutZeros } from '../pods/pod-state.ts'
import { bySeniority, type DaemonSetView, groupByNode, isCurrent, wants } from './plan.ts'

/** The status of a set with these nodes and pods. Pure. */
export function daemonSetStatus({ set, nodes, pods, hash }: DaemonSetView, nowMs: number): DaemonSetStatus {
  const byNode = groupByNode(pods)
  const n = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 }
  for (const node of nodes) {
    const list = (byNode.get(node.metadata.name ?? '') ?? []).toSorted(bySeniority)
    const { run } = wants(set, node)
    if (!run) {
      if (list.length > 0) n.misscheduled++
      continue
    }
    n.desired++
    const pod = list[0]
    if (pod === undefined) continue
    n.current++
    if (isReady(pod)) n.ready++
    if (isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)) n.available++
    if (isCurrent(set, pod, hash)) n.updated++
  }
  return {
    currentNumberScheduled: n.current,
    numberMisscheduled: n.misscheduled,
    desiredNumberScheduled: n.desired,
    numberReady: n.ready,
    ...withoutZeros({
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: n.updated,
      numberAvailable: n.available,
      numberUnavailable: n.desired - n.available,
      collisionCount: set.status?.collisionCount,
      conditions: set.status?.conditions,
    }),
  }
}
