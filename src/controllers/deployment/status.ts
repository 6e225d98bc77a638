import { timestamp } from '../../base/clock.ts'
import type { Deployment, DeploymentCondition, DeploymentStatus } from '../../resources/types/apps.ts'
import { withoutZeros } from '../pods/pod-state.ts'
import { all, type DeploymentView, fenceposts, replicasOf, sum } from './plan.ts'

/** A condition before it has times. */
type Fresh = Omit<DeploymentCondition, 'lastUpdateTime' | 'lastTransitionTime'>

export const progressing = (status: Fresh['status'], reason: string, message: string): Fresh => ({
  type: 'Progressing',
  status,
  reason,
  message,
})

export const conditionsOf = (d: Pick<Deployment, 'status'>): readonly DeploymentCondition[] => d.status?.conditions ?? []
export const hasDeadline = (d: Deployment): boolean =>
  d.spec.progressDeadlineSeconds !== undefined && d.spec.progressDeadlineSeconds !== 2_147_483_647

/** Sets a condition; one with the same status and reason stays as it is. */
export function setCondition(conditions: readonly DeploymentCondition[], fresh: Fresh, nowMs: number): readonly DeploymentCondition[] {
  const standing = conditions.find((c) => c.type === fresh.type)
  if (standing?.status === fresh.status && standing.reason === fresh.reason) return conditions
  const now = timestamp(nowMs)
  const lastTransitionTime = (standing?.status === fresh.status ? standing.lastTransitionTime : undefined) ?? now
  return [...conditions.filter((c) => c.type !== fresh.type), { ...fresh, lastUpdateTime: now, lastTransitionTime }]
}

/** The conditions that report that the rollout was paused or resumed; undefined if they do already. Pure. */
export function pauseConditions(d: Deployment, nowMs: number): readonly DeploymentCondition[] | undefined {
  if (!hasDeadline(d)) return undefined
  const reason = conditionsOf(d).find((c) => c.type === 'Progressing')?.reason
  if (reason === 'ProgressDeadlineExceeded') return undefined
  const set = (why: string, message: string) => setCondition(conditionsOf(d), progressing('Unknown', why, message), nowMs)
  if (d.spec.paused && reason !== 'DeploymentPaused') return set('DeploymentPaused', 'Deployment is paused')
  if (!d.spec.paused && reason === 'DeploymentPaused') return set('DeploymentResumed', 'Deployment is resumed')
  return undefined
}

/** The conditions that report that a ReplicaSet could not be created; undefined without a progress deadline. Pure. */
export const createFailed = (d: Deployment, message: string, nowMs: number): readonly DeploymentCondition[] | undefined =>
  hasDeadline(d) ? setCondition(conditionsOf(d), progressing('False', 'ReplicaSetCreateError', message), nowMs) : undefined

/** The status of a Deployment with these ReplicaSets, without its progress. Pure. */
export function countedStatus(view: DeploymentView, conditions: readonly DeploymentCondition[], nowMs: number): DeploymentStatus {
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

const textsOf = ({ reason = '', message = '' }: { readonly reason?: string; readonly message?: string }) => ({ reason, message })

/** Whether all replicas are of the deployment's template and available. */
export function isComplete(d: Deployment, s: DeploymentStatus): boolean {
  const wanted = replicasOf(d)
  return (
    (s.updatedReplicas ?? 0) === wanted &&
    (s.replicas ?? 0) === wanted &&
    (s.availableReplicas ?? 0) === wanted &&
    (s.observedGeneration ?? 0) >= (d.metadata.generation ?? 0)
  )
}

/** The same during and after a rollout, with its progress. Pure. */
export function rolloutStatus(view: DeploymentView, conditions: readonly DeploymentCondition[], nowMs: number): DeploymentStatus {
  const d = view.deployment
  const counted: DeploymentStatus = countedStatus(view, conditions, nowMs)
  let list = counted.conditions ?? []
  const standing = list.find((c) => c.type === 'Progressing')
  const name = d.metadata.name ?? ''
  const subject = view.current === undefined ? `Deployment "${name}"` : `ReplicaSet "${view.current.metadata.name}"`
  if (!hasDeadline(d)) list = list.filter((c) => c.type !== 'Progressing')
  else if (!((counted.replicas ?? 0) === (counted.updatedReplicas ?? 0) && standing?.reason === 'NewReplicaSetAvailable')) {
    if (isComplete(d, counted))
      list = setCondition(list, progressing('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`), nowMs)
    else if (madeProgress(d, counted)) {
      const fresh = { ...progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`), lastUpdateTime: timestamp(nowMs) }
      const lastTransitionTime = (standing?.status === 'True' ? standing.lastTransitionTime : undefined) ?? timestamp(nowMs)
      list = [...list.filter((c) => c.type !== 'Progressing'), { ...fresh, lastTransitionTime }]
    } else if (timedOut(d, counted, nowMs))
      list = setCondition(list, progressing('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`), nowMs)
  }
  const failure = all(view)
    .flatMap((rs) => rs.status?.conditions ?? [])
    .find((c) => c.type === 'ReplicaFailure' && c.status === 'True')
  list = failure
    ? setCondition(list, { type: 'ReplicaFailure', status: 'True', ...textsOf(failure) }, nowMs)
    : list.filter((c) => c.type !== 'ReplicaFailure')
  return { ...counted, conditions: list }
}

function madeProgress(d: Deployment, now: DeploymentStatus): boolean {
  const before = d.status ?? {}
  const n = (x: number | undefined) => x ?? 0
  return (
    n(now.updatedReplicas) > n(before.updatedReplicas) ||
    n(now.replicas) - n(now.updatedReplicas) < n(before.replicas) - n(before.updatedReplicas) ||
    n(now.readyReplicas) > n(before.readyReplicas) ||
    n(now.availableReplicas) > n(before.availableReplicas)
  )
}

/** Of a deployment with a deadline: when it passes unless there is progress. */
const deadlineMs = (d: Deployment, progress: DeploymentCondition) =>
  Date.parse(progress.lastUpdateTime ?? '') + (d.spec.progressDeadlineSeconds ?? 0) * 1000

function timedOut(d: Deployment, status: DeploymentStatus, nowMs: number): boolean {
  const standing = conditionsOf({ status }).find((c) => c.type === 'Progressing')
  if (standing === undefined || standing.reason === 'NewReplicaSetAvailable') return false
  if (standing.reason === 'ProgressDeadlineExceeded') return true
  if (standing.reason === 'DeploymentPaused') return false
  return nowMs > deadlineMs(d, standing)
}

/** When the progress deadline has to be checked again. */
export function stuckInMs(d: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const standing = conditionsOf({ status }).find((c) => c.type === 'Progressing')
  if (!hasDeadline(d) || standing === undefined || isComplete(d, status)) return undefined
  if (standing.reason === 'ProgressDeadlineExceeded' || standing.reason === 'NewReplicaSetAvailable') return undefined
  return Math.max(0, deadlineMs(d, standing) - nowMs) + 1000
}
