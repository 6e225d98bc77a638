import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { expendability } from '../pods/expendability.ts'
import { isActive, isAvailable, isReady, isTerminating, withoutZeros } from '../pods/pod-state.ts'

/** No more pods than these are made or removed in one go. */
const BURST = 500

export interface ReplicaSetView {
  readonly owner: KubeObject
  /** The pods it owns, finished and terminating ones too. */
  readonly pods: readonly KubeObject[]
  /** How many pods that do the same work run on each node: the fullest node gives first. */
  readonly onNode: () => ReadonlyMap<string, number>
}

export type ReplicaSetPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'create'; readonly count: number }
  | { readonly kind: 'delete'; readonly pods: readonly KubeObject[] }

/** How many pods to make, or which to remove. Pure. */
export function planReplicas({ owner, pods, onNode }: ReplicaSetView): ReplicaSetPlan {
  if (isTerminating(owner)) return { kind: 'keep' }
  const active = pods.filter(isActive)
  const wanted = owner.spec?.replicas ?? 1
  if (active.length < wanted) return { kind: 'create', count: Math.min(BURST, wanted - active.length) }
  if (active.length === wanted) return { kind: 'keep' }
  const count = Math.min(BURST, active.length - wanted)
  const crowds = onNode()
  return { kind: 'delete', pods: active.toSorted((a, b) => expendability(a, b, crowds)).slice(0, count) }
}

export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete'
  readonly message: string
}

/** The status that the pods make. Pure. */
export function replicaSetStatus(owner: KubeObject, pods: readonly KubeObject[], failure: ReplicaFailure | undefined, nowMs: number) {
  const active = pods.filter(isActive)
  const labels = Object.entries<string>(owner.spec?.template?.metadata?.labels ?? {})
  const minReady = owner.spec?.minReadySeconds ?? 0
  const others = (owner.status?.conditions ?? []).filter((c: { type: string }) => c.type !== 'ReplicaFailure')
  const standing = (owner.status?.conditions ?? []).filter((c: { type: string }) => c.type === 'ReplicaFailure')
  const fresh = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: timestamp(nowMs), ...failure }
  return {
    ...withoutZeros({
      fullyLabeledReplicas: active.filter((p) => labels.every(([k, v]) => p.metadata.labels?.[k] === v)).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((p) => isAvailable(p, minReady, nowMs)).length,
      observedGeneration: owner.metadata.generation,
      conditions: failure === undefined ? others : standing.length > 0 ? [...others, ...standing] : [...others, fresh],
    }),
    replicas: active.length,
    ...(owner.kind === 'ReplicaSet'
      ? { terminatingReplicas: pods.filter((p) => isTerminating(p) && !['Succeeded', 'Failed'].includes(p.status?.phase)).length }
      : {}),
  }
}
