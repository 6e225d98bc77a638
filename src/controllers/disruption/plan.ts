import { timestamp } from '../../base/clock.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isReady, isTerminating, scaledValue } from '../pods/pod-state.ts'

/** An eviction that was granted counts as done for this long, even if nobody has seen the pod go. */
const DELETION_TIMEOUT_MS = 120_000

export interface BudgetView {
  readonly budget: KubeObject
  readonly pods: readonly KubeObject[]
  /** How many pods the pods' controllers want in all. */
  readonly expectedScale: number
}

/** Whether a budget goes by what its pods' controllers want: pods without one it cannot count. */
export const goesByScale = ({ spec }: KubeObject): boolean => spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'

/** The status of a budget that cannot be worked out: nobody is evicted meanwhile. Pure. */
export function failedStatus(budget: KubeObject, message: string, nowMs: number): KubeObject['status'] {
  const standing: readonly BudgetCondition[] = budget.status?.conditions ?? []
  const before = standing.find((c) => c.type === 'DisruptionAllowed')
  const lastTransitionTime = before?.status === 'False' ? before.lastTransitionTime : timestamp(nowMs)
  // What was observed at last: of this generation nothing is known.
  const observedGeneration: number | undefined = budget.status?.observedGeneration
  const observed = observedGeneration ? { observedGeneration } : {}
  const failed = { type: 'DisruptionAllowed', status: 'False', ...observed, lastTransitionTime, reason: 'SyncFailed', message }
  const none = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
  const conditions = before === undefined ? [...standing, failed] : standing.map((c) => (c === before ? failed : c))
  return { ...none, ...budget.status, disruptionsAllowed: 0, conditions }
}

/** The status that the pods make; undefined when it stands already. Pure. */
export function planBudget({ budget, pods, expectedScale }: BudgetView, nowMs: number): KubeObject['status'] | undefined {
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

function stillDisrupted(budget: KubeObject, pods: readonly KubeObject[], nowMs: number): Record<string, string> {
  const there = new Map(pods.map((p) => [p.metadata.name, p]))
  return Object.fromEntries(
    Object.entries<string>(budget.status?.disruptedPods ?? {}).filter(([name, time]) => {
      const pod = there.get(name)
      return pod !== undefined && !isTerminating(pod) && Date.parse(time) + DELETION_TIMEOUT_MS > nowMs
    }),
  )
}

interface BudgetCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime: string
}

function conditions(budget: KubeObject, allowed: boolean, nowMs: number) {
  const standing: readonly BudgetCondition[] = budget.status?.conditions ?? []
  const before = standing.find((c) => c.type === 'DisruptionAllowed')
  const status = allowed ? 'True' : 'False'
  const now = {
    type: 'DisruptionAllowed',
    status,
    observedGeneration: budget.metadata.generation ?? 0,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(nowMs),
    reason: allowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  }
  return before === undefined ? [...standing, now] : standing.map((c) => (c === before ? now : c))
}
