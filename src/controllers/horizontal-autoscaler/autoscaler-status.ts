import type { HorizontalPodAutoscalerCondition, MetricStatus } from '../../resources/types/autoscaling.ts'

/** A condition before it has a time. */
export type PlannedCondition = Pick<HorizontalPodAutoscalerCondition, 'type' | 'status' | 'reason' | 'message'>

/** The status as upstream writes it: without metrics the list is `null`, and a metric that failed is empty. */
export interface HpaStatus {
  currentReplicas?: number
  desiredReplicas?: number
  lastScaleTime?: string
  currentMetrics?: readonly (MetricStatus | { type: '' })[] | null
  conditions?: readonly HorizontalPodAutoscalerCondition[]
}

/** The conditions, with this one in place of the one of its type, or at the end. Its time changes with its status. */
export function withCondition(
  conditions: readonly HorizontalPodAutoscalerCondition[] | undefined,
  condition: PlannedCondition,
  now: string,
): readonly HorizontalPodAutoscalerCondition[] {
  const before = conditions?.find((c) => c.type === condition.type)
  const kept = before?.status === condition.status ? before.lastTransitionTime : undefined
  const set = { ...condition, lastTransitionTime: kept ?? now }
  return before === undefined ? [...(conditions ?? []), set] : (conditions ?? []).map((c) => (c === before ? set : c))
}
