import type { KubeObject } from '../../machinery/object.ts'
import { isAvailable, isFinished, isReady, isTerminating, withoutZeros } from '../pods/pod-state.ts'

export const REVISION_LABEL = 'controller-revision-hash'

/** The number at the end of the pod's name; -1 when it is not one of the set's. */
export function ordinalOf(set: KubeObject, pod: KubeObject): number {
  const name = pod.metadata.name ?? ''
  const prefix = `${set.metadata.name}-`
  const rest = name.slice(prefix.length)
  return name.startsWith(prefix) && /^(0|[1-9]\d*)$/.test(rest) ? Number(rest) : -1
}

export interface StatefulSetView {
  readonly set: KubeObject
  readonly pods: readonly KubeObject[]
  /** The revision that the set had when its last rollout was complete. */
  readonly current: string
  readonly update: string
}

export interface StatefulSetPlan {
  readonly create: readonly { readonly ordinal: number; readonly revision: string }[]
  readonly remove: readonly KubeObject[]
  /** Pods that have failed: they are removed, and made again. */
  readonly recreate: readonly KubeObject[]
  /** Pods that have not begun: the claims that they wait for are made again where somebody took them away. */
  readonly pending: readonly KubeObject[]
  /** Pods that stay: what makes them the set's is put right where somebody took it away. */
  readonly keep: readonly KubeObject[]
}

const revisionOf = (pod: KubeObject) => pod.metadata.labels?.[REVISION_LABEL]
const isHealthy = (set: KubeObject, pod: KubeObject, nowMs: number) =>
  pod.status?.phase === 'Running' && !isTerminating(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs)

/** What comes next: in order one thing at a time, or in parallel. Pure. */
export function planStatefulSet({ set, pods, current, update }: StatefulSetView, nowMs: number): StatefulSetPlan {
  const nothing: StatefulSetPlan = { create: [], remove: [], recreate: [], pending: [], keep: [] }
  if (isTerminating(set)) return nothing
  const first = set.spec?.ordinals?.start ?? 0
  const count = set.spec?.replicas ?? 1
  const ordered = set.spec?.podManagementPolicy !== 'Parallel'
  const rolling = set.spec?.updateStrategy?.type !== 'OnDelete'
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0
  const byOrdinal = new Map(pods.map((p) => [ordinalOf(set, p), p]))
  const plan = {
    create: [] as { ordinal: number; revision: string }[],
    remove: [] as KubeObject[],
    recreate: [] as KubeObject[],
    pending: [] as KubeObject[],
    keep: [] as KubeObject[],
  }

  for (let ordinal = first; ordinal < first + count; ordinal++) {
    const pod = byOrdinal.get(ordinal)
    if (pod?.status?.phase === 'Pending') plan.pending.push(pod)
    if (pod === undefined) plan.create.push({ ordinal, revision: rolling && ordinal < first + partition ? current : update })
    else if (isFinished(pod) && !isTerminating(pod)) plan.recreate.push(pod)
    else if (isHealthy(set, pod, nowMs) || !ordered) {
      if (!isTerminating(pod)) plan.keep.push(pod)
      continue
    } else return plan
    if (ordered) return plan
  }
  const condemned = pods.filter((p) => !inRange(set, p)).toSorted((a, b) => ordinalOf(set, b) - ordinalOf(set, a))
  const firstUnhealthy = pods.toSorted((a, b) => ordinalOf(set, a) - ordinalOf(set, b)).find((p) => !isHealthy(set, p, nowMs))
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (ordered) return plan
      continue
    }
    // In order a pod that is not well is waited for, unless it is the one that everything waits for.
    if (ordered && pod !== firstUnhealthy && !isHealthy(set, pod, nowMs)) return plan
    plan.remove.push(pod)
    if (ordered) return plan
  }
  if (!rolling || plan.create.length > 0 || plan.recreate.length > 0) return plan
  for (let ordinal = first + count - 1; ordinal >= first + partition; ordinal--) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined) return plan
    if (revisionOf(pod) !== update && !isTerminating(pod)) return { ...plan, remove: [...plan.remove, pod] }
    if (!isHealthy(set, pod, nowMs)) return plan
  }
  return plan
}

/** Whether the set wants a pod of this number. */
export function inRange(set: KubeObject, pod: KubeObject): boolean {
  const first = set.spec?.ordinals?.start ?? 0
  const ordinal = ordinalOf(set, pod)
  return ordinal >= first && ordinal < first + (set.spec?.replicas ?? 1)
}

/** The status that the pods make. Pure. */
export function statefulSetStatus({ set, pods, current, update }: StatefulSetView, nowMs: number): KubeObject['status'] {
  // One that has ended is there until it is taken away.
  const created = pods.filter((p) => ordinalOf(set, p) >= 0)
  const ready = created.filter((p) => p.status?.phase === 'Running' && isReady(p))
  const fresh = (revision: string) => created.filter((p) => !isTerminating(p) && revisionOf(p) === revision).length
  const updated = fresh(update)
  const complete =
    set.spec?.updateStrategy?.type !== 'OnDelete' && current !== update && updated === created.length && ready.length === created.length
  return {
    ...withoutZeros({
      observedGeneration: set.metadata.generation,
      readyReplicas: ready.length,
      currentReplicas: complete ? updated : fresh(current),
      updatedReplicas: updated,
      conditions: set.status?.conditions,
    }),
    replicas: created.length,
    availableReplicas: created.filter((p) => isAvailable(p, set.spec?.minReadySeconds ?? 0, nowMs)).length,
    currentRevision: complete ? update : current,
    updateRevision: update,
    collisionCount: set.status?.collisionCount ?? 0,
  }
}
