import type { MetricStatus } from '../../resources/autoscaling/hpa-types.ts'

/** `autoscaling/v2 HorizontalPodAutoscalerCondition`. */
export interface HpaCondition {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited'
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime?: string
}

/** `autoscaling/v2 HorizontalPodAutoscalerStatus`, as the controller writes it. */
export interface HpaStatus {
  currentReplicas?: number
  desiredReplicas?: number
  lastScaleTime?: string
  currentMetrics?: (MetricStatus | { type: '' })[] | null
  conditions?: readonly HpaCondition[]
}

/** With the condition in the place of the one of its type, or at the end; its time changes when its status does. */
export function withCondition(
  conditions: readonly HpaCondition[] | undefined,
  condition: Omit<HpaCondition, 'lastTransitionTime'>,
  now: string,
): readonly HpaCondition[] {
  const before = conditions?.find((c) => c.type === condition.type)
  const kept = before?.status === condition.status ? before.lastTransitionTime : undefined
  const { type, status, reason, message } = condition
  const set = { type, status, lastTransitionTime: kept ?? now, reason, message }
  return before === undefined ? [...(conditions ?? []), set] : (conditions ?? []).map((c) => (c === before ? set : c))
}
