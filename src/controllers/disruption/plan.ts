import { timestamp } from '../../base/clock.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Condition } from '../../resources/types/meta.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../resources/types/policy.ts'
import { isReady, isTerminating, scaledValue } from '../pods/pod-state.ts'

/** A granted eviction counts as done for this long, even if the pod was not seen to go. */
const DELETION_TIMEOUT_MS = 120_000

export interface BudgetView {
  readonly budget: PodDisruptionBudget
  readonly pods: readonly Pod[]
  /** The total of the desired replicas of the pods' controllers. */
  readonly expectedScale: number
}

/** Whether the budget depends on the desired replicas of controllers: pods without a controller cannot be counted then. */
export const goesByScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'

/** The status of a budget whose pods cannot be counted: no eviction is granted. Pure. */
export function failedStatus(budget: PodDisruptionBudget, message: string, nowMs: number): PodDisruptionBudgetStatus {
  const standing = budget.status?.conditions ?? []
  const before = standing.find((c) => c.type === 'DisruptionAllowed')
  const lastTransitionTime = before?.status === 'False' ? before.lastTransitionTime : timestamp(nowMs)
  // The generation that was observed last: this one was not.
  const observedGeneration = budget.status?.observedGeneration
  const observed = observedGeneration ? { observedGeneration } : {}
  const failed: Condition = { type: 'DisruptionAllowed', status: 'False', ...observed, lastTransitionTime, reason: 'SyncFailed', message }
  const none = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
  const conditions = before === undefined ? [...standing, failed] : standing.map((c) => (c === before ? failed : c))
  return { ...none, ...budget.status, disruptionsAllowed: 0, conditions }
}

/** The status of a budget with these pods; undefined if it has it already. Pure. */
export function planBudget({ budget, pods, expectedScale }: BudgetView, nowMs: number): PodDisruptionBudgetStatus | undefined {
  const { minAvailable, maxUnavailable } = budget.spec ?? {}
  const expectedPods = goesByScale(budget) ? expectedScale : pods.length
  const desiredHealthy =
    maxUnavailable !== undefined
      ? Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, 'up'))
      : scaledValue(minAvailable, expectedPods, 'up')
  const disruptedPods = stillDisrupted(budget, pods, nowMs)
  const currentHealthy = pods.filter((p) => !isTerminating(p) && disruptedPods[p.metadata.name ?? ''] === undefined && isReady(p)).length
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
  const status = {
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    observedGeneration: budget.metadata.generation ?? 0,
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: conditions(budget, disruptionsAllowed > 0, nowMs),
  }
  return semanticEqual(status, budget.status) ? undefined : status
}

function stillDisrupted(budget: PodDisruptionBudget, pods: readonly Pod[], nowMs: number): Record<string, string> {
  const there = new Map(pods.map((p) => [p.metadata.name, p]))
  return Object.fromEntries(
    Object.entries(budget.status?.disruptedPods ?? {}).filter(([name, time]) => {
      const pod = there.get(name)
      return pod !== undefined && !isTerminating(pod) && Date.parse(time) + DELETION_TIMEOUT_MS > nowMs
    }),
  )
}

function conditions(budget: PodDisruptionBudget, allowed: boolean, nowMs: number): readonly Condition[] {
  const standing = budget.status?.conditions ?? []
  const before = standing.find((c) => c.type === 'DisruptionAllowed')
  const status = allowed ? 'True' : 'False'
  const now: Condition = {
    type: 'DisruptionAllowed',
    status,
    observedGeneration: budget.metadata.generation ?? 0,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(nowMs),
    reason: allowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  }
  return before === undefined ? [...standing, now] : standing.map((c) => (c === before ? now : c))
}
