import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { withoutZeros } from '../pods/pod-state.ts'
import { all, type DeploymentView, fenceposts, replicasOf, sum } from './plan.ts'

/** `apps/v1.DeploymentCondition` */
export interface DeploymentCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly lastUpdateTime: string
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

type Fresh = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>

export const progressing = (status: Fresh['status'], reason: string, message: string): Fresh => ({
  type: 'Progressing',
  status,
  reason,
  message,
})

export const conditionsOf = (d: KubeObject): readonly DeploymentCondition[] => d.status?.conditions ?? []
export const hasDeadline = (d: KubeObject): boolean =>
  d.spec?.progressDeadlineSeconds !== undefined && d.spec.progressDeadlineSeconds !== 2_147_483_647

/** Puts a condition in: one of the same status and reason stays as it is. */
export function setCondition(conditions: readonly DeploymentCondition[], fresh: Fresh, nowMs: number): readonly DeploymentCondition[] {
  const standing = conditions.find((c) => c.type === fresh.type)
  if (standing?.status === fresh.status && standing.reason === fresh.reason) return conditions
  const now = timestamp(nowMs)
  const lastTransitionTime = standing?.status === fresh.status ? standing.lastTransitionTime : now
  return [...conditions.filter((c) => c.type !== fresh.type), { ...fresh, lastUpdateTime: now, lastTransitionTime }]
}

/** The conditions that tell that the rollout was paused or goes on; undefined when they do already. Pure. */
export function pauseConditions(d: KubeObject, nowMs: number): readonly DeploymentCondition[] | undefined {
  if (!hasDeadline(d)) return undefined
  const reason = conditionsOf(d).find((c) => c.type === 'Progressing')?.reason
  if (reason === 'ProgressDeadlineExceeded') return undefined
  const set = (why: string, message: string) => setCondition(conditionsOf(d), progressing('Unknown', why, message), nowMs)
  if (d.spec?.paused && reason !== 'DeploymentPaused') return set('DeploymentPaused', 'Deployment is paused')
  if (!d.spec?.paused && reason === 'DeploymentPaused') return set('DeploymentResumed', 'Deployment is resumed')
  return undefined
}

/** The conditions that tell that a replica set could not be made; undefined where nobody waits for progress. Pure. */
export const createFailed = (d: KubeObject, message: string, nowMs: number): readonly DeploymentCondition[] | undefined =>
  hasDeadline(d) ? setCondition(conditionsOf(d), progressing('False', 'ReplicaSetCreateError', message), nowMs) : undefined

/** The status that the replica sets make, without the progress. Pure. */
export function countedStatus(view: DeploymentView, conditions: readonly DeploymentCondition[], nowMs: number) {
  const d = view.deployment
  const sets = all(view)
  const available = sum(sets, (rs) => rs.status?.availableReplicas)
  const enough = available >= replicasOf(d) - fenceposts(d).maxUnavailable
  const fresh: Fresh = enough
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      }
  return {
    ...withoutZeros({
      observedGeneration: d.metadata.generation,
      replicas: sum(sets, (rs) => rs.status?.replicas),
      updatedReplicas: view.current?.status?.replicas ?? 0,
      readyReplicas: sum(sets, (rs) => rs.status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sum(sets, replicasOf) - available),
    }),
    terminatingReplicas: sum(sets, (rs) => rs.status?.terminatingReplicas),
    ...(d.status?.collisionCount === undefined ? {} : { collisionCount: d.status.collisionCount }),
    conditions: setCondition(conditions, fresh, nowMs),
  }
}

type Counted = ReturnType<typeof countedStatus> & {
  replicas?: number
  updatedReplicas?: number
  readyReplicas?: number
  availableReplicas?: number
  observedGeneration?: number | undefined
}

export function isComplete(d: KubeObject, s: Counted): boolean {
  const wanted = replicasOf(d)
  return (
    (s.updatedReplicas ?? 0) === wanted &&
    (s.replicas ?? 0) === wanted &&
    (s.availableReplicas ?? 0) === wanted &&
    (s.observedGeneration ?? 0) >= (d.metadata.generation ?? 0)
  )
}

/** The status during and after a rollout: how it goes, and whether it has stuck. Pure. */
export function rolloutStatus(view: DeploymentView, conditions: readonly DeploymentCondition[], nowMs: number) {
  const d = view.deployment
  const counted: Counted = countedStatus(view, conditions, nowMs)
  let list = counted.conditions
  const standing = list.find((c) => c.type === 'Progressing')
  const name = d.metadata.name ?? ''
  const subject = view.current === undefined ? `Deployment "${name}"` : `ReplicaSet "${view.current.metadata.name}"`
  if (!hasDeadline(d)) list = list.filter((c) => c.type !== 'Progressing')
  else if (!((counted.replicas ?? 0) === (counted.updatedReplicas ?? 0) && standing?.reason === 'NewReplicaSetAvailable')) {
    if (isComplete(d, counted))
      list = setCondition(list, progressing('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`), nowMs)
    else if (madeProgress(d, counted)) {
      const fresh = { ...progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`), lastUpdateTime: timestamp(nowMs) }
      const lastTransitionTime = standing?.status === 'True' ? standing.lastTransitionTime : timestamp(nowMs)
      list = [...list.filter((c) => c.type !== 'Progressing'), { ...fresh, lastTransitionTime }]
    } else if (timedOut(d, counted, nowMs))
      list = setCondition(list, progressing('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`), nowMs)
  }
  const failure = all(view)
    .flatMap((rs) => rs.status?.conditions ?? [])
    .find((c: { type: string; status: string }) => c.type === 'ReplicaFailure' && c.status === 'True')
  list = failure
    ? setCondition(list, { type: 'ReplicaFailure', status: 'True', reason: failure.reason, message: failure.message }, nowMs)
    : list.filter((c) => c.type !== 'ReplicaFailure')
  return { ...counted, conditions: list }
}

function madeProgress(d: KubeObject, now: Counted): boolean {
  const before = d.status ?? {}
  const n = (x: number | undefined) => x ?? 0
  return (
    n(now.updatedReplicas) > n(before.updatedReplicas) ||
    n(now.replicas) - n(now.updatedReplicas) < n(before.replicas) - n(before.updatedReplicas) ||
    n(now.readyReplicas) > n(before.readyReplicas) ||
    n(now.availableReplicas) > n(before.availableReplicas)
  )
}

function timedOut(d: KubeObject, status: Counted, nowMs: number): boolean {
  const standing = status.conditions.find((c) => c.type === 'Progressing')
  if (standing === undefined || standing.reason === 'NewReplicaSetAvailable') return false
  if (standing.reason === 'ProgressDeadlineExceeded') return true
  if (standing.reason === 'DeploymentPaused') return false
  return nowMs > Date.parse(standing.lastUpdateTime) + d.spec.progressDeadlineSeconds * 1000
}

/** When to look again whether the rollout has stuck. */
export function stuckInMs(d: KubeObject, status: Counted, nowMs: number): number | undefined {
  const standing = status.conditions.find((c) => c.type === 'Progressing')
  if (!hasDeadline(d) || standing === undefined || isComplete(d, status)) return undefined
  if (standing.reason === 'ProgressDeadlineExceeded' || standing.reason === 'NewReplicaSetAvailable') return undefined
  return Math.max(0, Date.parse(standing.lastUpdateTime) + d.spec.progressDeadlineSeconds * 1000 - nowMs) + 1000
}
