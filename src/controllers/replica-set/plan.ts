import { timestamp } from '../../base/clock.ts'
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from '../../resources/types/apps.ts'
import type { Pod, ReplicationController } from '../../resources/types/core.ts'
import { expendability } from '../pods/expendability.ts'
import { isActive, isAvailable, isFinished, isReady, isTerminating, withoutZeros } from '../pods/pod-state.ts'

/** No more pods than these are created or deleted in one round, as upstream. */
const BURST = 500

export type ReplicaOwner = ReplicaSet | ReplicationController

export interface ReplicaSetView {
  readonly owner: ReplicaOwner
  /** The pods it owns, finished and terminating ones too. */
  readonly pods: readonly Pod[]
  /** How many pods of the same work run on each node: the fullest node loses pods first. */
  readonly onNode: () => ReadonlyMap<string, number>
}

export type ReplicaSetPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'create'; readonly count: number }
  | { readonly kind: 'delete'; readonly pods: readonly Pod[] }

/** How many pods to create, or which to delete. Pure. */
export function planReplicas({ owner, pods, onNode }: ReplicaSetView): ReplicaSetPlan {
  if (isTerminating(owner)) return { kind: 'keep' }
  const active = pods.filter(isActive)
  const wanted = owner.spec?.replicas ?? 1
  if (active.length < wanted) return { kind: 'create', count: Math.min(BURST, wanted - active.length) }
  if (active.length === wanted) return { kind: 'keep' }
  const count = Math.min(BURST, active.length - wanted)
  const podsOnNode = onNode()
  return { kind: 'delete', pods: active.toSorted((a, b) => expendability(a, b, podsOnNode)).slice(0, count) }
}

export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete'
  readonly message: string
}

/** The status of an owner with these pods. Pure. */
export function replicaSetStatus(
  owner: ReplicaOwner,
  pods: readonly Pod[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): ReplicaSetStatus {
  const active = pods.filter(isActive)
  const labels = Object.entries(owner.spec?.template?.metadata?.labels ?? {})
  const minReady = owner.spec?.minReadySeconds ?? 0
  return {
    ...withoutZeros({
      fullyLabeledReplicas: active.filter((p) => labels.every(([k, v]) => p.metadata.labels?.[k] === v)).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((p) => isAvailable(p, minReady, nowMs)).length,
      observedGeneration: owner.metadata.generation,
      conditions: conditionsWith(owner, failure, nowMs),
    }),
    replicas: active.length,
    ...(owner.kind === 'ReplicaSet' ? { terminatingReplicas: pods.filter((p) => isTerminating(p) && !isFinished(p)).length } : {}),
  }
}

/** A failure keeps the condition of the failure before it. */
function conditionsWith(owner: ReplicaOwner, failure: ReplicaFailure | undefined, nowMs: number): readonly ReplicaSetCondition[] {
  const { true: failures = [], false: others = [] } = Object.groupBy(owner.status?.conditions ?? [], (c) =>
    c.type === 'ReplicaFailure' ? 'true' : 'false',
  )
  if (failure === undefined) return others
  if (failures.length > 0) return [...others, ...failures]
  return [...others, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: timestamp(nowMs), ...failure }]
}
