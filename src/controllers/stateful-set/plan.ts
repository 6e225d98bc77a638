import type { StatefulSet } from '../../resources/types/apps.ts'
import type { Pod } from '../../resources/types/core.ts'
import { isAvailable, isFinished, isTerminating } from '../pods/pod-state.ts'
import { absentOrdinals, inRange, ordinalOf, ordinalsOf } from './ordinals.ts'

export const REVISION_LABEL = 'controller-revision-hash'

export interface StatefulSetView {
  readonly set: StatefulSet
  readonly pods: readonly Pod[]
  /** The revision that the set had when its last rollout was complete. */
  readonly current: string
  readonly update: string
}

export interface StatefulSetPlan {
  readonly create: readonly { readonly ordinal: number; readonly revision: string }[]
  readonly remove: readonly Pod[]
  /** Pods that have failed: they are removed, and made again. */
  readonly recreate: readonly Pod[]
  /** Pods that have not started: the claims they wait for are made again if they were deleted. */
  readonly pending: readonly Pod[]
  /** Pods that stay: labels, volumes and owners of claims that they lost are put back. */
  readonly keep: readonly Pod[]
  /** The plan is cut off at `BURST`: another round follows at once. */
  readonly more: boolean
}

/** No more pods than these are created or deleted in one round. */
const BURST = 500

const NOTHING: StatefulSetPlan = { create: [], remove: [], recreate: [], pending: [], keep: [], more: false }

export const revisionOf = (pod: Pod) => pod.metadata.labels?.[REVISION_LABEL]
const isHealthy = (set: StatefulSet, pod: Pod, nowMs: number) =>
  pod.status?.phase === 'Running' && !isTerminating(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)
const isRolling = (set: StatefulSet) => set.spec.updateStrategy?.type !== 'OnDelete'

/** What comes next: in order one thing at a time, or in parallel. Pure, and lazy in the number of replicas. */
export function planStatefulSet(view: StatefulSetView, nowMs: number): StatefulSetPlan {
  if (isTerminating(view.set)) return NOTHING
  return view.set.spec.podManagementPolicy === 'Parallel' ? planParallel(view, nowMs) : planOrdered(view, nowMs)
}

/** `OrderedReady`: a pod is waited for before anything is done to the next one. */
function planOrdered(view: StatefulSetView, nowMs: number): StatefulSetPlan {
  const { set, pods } = view
  const { first, end } = ordinalsOf(set)
  const byOrdinal = new Map(pods.map((p) => [ordinalOf(set, p), p]))
  const pending: Pod[] = []
  const keep: Pod[] = []
  const plan = { ...NOTHING, pending, keep }
  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined) return { ...plan, create: [newPod(view, ordinal)] }
    if (pod.status?.phase === 'Pending') pending.push(pod)
    if (isFinished(pod) && !isTerminating(pod)) return { ...plan, recreate: [pod] }
    if (!isHealthy(set, pod, nowMs)) return plan
    keep.push(pod)
  }
  const last = condemnedPods(view)[0]
  if (last === undefined) return { ...plan, remove: planRollout(view, nowMs) }
  const unhealthy = pods.toSorted((a, b) => ordinalOf(set, a) - ordinalOf(set, b)).find((p) => !isHealthy(set, p, nowMs))
  // An unhealthy pod is waited for, unless it is the one that everything waits for.
  const waits = isTerminating(last) || (last !== unhealthy && !isHealthy(set, last, nowMs))
  return waits ? plan : { ...plan, remove: [last] }
}

/** `Parallel`: no pod waits for another, except during a rollout. */
function planParallel(view: StatefulSetView, nowMs: number): StatefulSetPlan {
  const { set, pods } = view
  const wanted = pods.filter((p) => inRange(set, p))
  const absent = [...absentOrdinals(set, wanted).take(BURST + 1)]
  const condemned = condemnedPods(view).filter((p) => !isTerminating(p))
  const staying = wanted.filter((p) => !isTerminating(p))
  const recreate = staying.filter(isFinished)
  const rollout = absent.length === 0 && recreate.length === 0 ? planRollout(view, nowMs) : []
  return {
    create: absent.slice(0, BURST).map((ordinal) => newPod(view, ordinal)),
    remove: [...condemned.slice(0, BURST), ...rollout],
    recreate,
    pending: wanted.filter((p) => p.status?.phase === 'Pending'),
    keep: staying.filter((p) => !isFinished(p)),
    more: absent.length > BURST || condemned.length > BURST,
  }
}

/** The pod of an old revision that is replaced now, from the highest ordinal down to the partition. */
function planRollout({ set, pods, update }: StatefulSetView, nowMs: number): readonly Pod[] {
  if (!isRolling(set)) return []
  const { end, partitionEnd } = ordinalsOf(set)
  const byOrdinal = new Map(pods.map((p) => [ordinalOf(set, p), p]))
  for (let ordinal = end - 1; ordinal >= partitionEnd; ordinal--) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined) return []
    if (revisionOf(pod) !== update && !isTerminating(pod)) return [pod]
    if (!isHealthy(set, pod, nowMs)) return []
  }
  return []
}

/** Below the partition a pod comes back with the revision of the last complete rollout; without one, as many as the status counts do. */
function newPod({ set, current, update }: StatefulSetView, ordinal: number): { ordinal: number; revision: string } {
  const { first, partitionEnd } = ordinalsOf(set)
  const end = set.spec.updateStrategy?.rollingUpdate === undefined ? first + (set.status?.currentReplicas ?? 0) : partitionEnd
  return { ordinal, revision: isRolling(set) && ordinal < end ? current : update }
}

/** Pods beyond the set's ordinals, the last first. */
const condemnedPods = ({ set, pods }: StatefulSetView) =>
  pods.filter((p) => !inRange(set, p)).toSorted((a, b) => ordinalOf(set, b) - ordinalOf(set, a))
