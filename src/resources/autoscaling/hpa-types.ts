import type * as autoscaling from '../types/autoscaling.ts'
import type * as autoscalingV1 from '../types/autoscaling-v1.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

/** A HorizontalPodAutoscaler of either version. Go writes a list that is not set as null. */
export type Hpa = UncheckedObject<autoscalingV1.HorizontalPodAutoscaler> &
  UncheckedObject<Omit<autoscaling.HorizontalPodAutoscaler, 'status'>> & { status?: HpaStatus }
export type HpaStatus = Omit<Unchecked<autoscaling.HorizontalPodAutoscalerStatus>, 'currentMetrics'> & {
  currentMetrics?: MetricStatus[] | null
}
/** The spec of `autoscaling/v2` HorizontalPodAutoscaler, as rules read it. */
export type HpaSpec = Unchecked<autoscaling.HorizontalPodAutoscalerSpec>
export type TargetRef = Unchecked<autoscaling.CrossVersionObjectReference>

export type MetricSpec = Unchecked<autoscaling.MetricSpec>
export type MetricIdentifier = Unchecked<autoscaling.MetricIdentifier>

export type MetricTarget = Unchecked<autoscaling.MetricTarget>
export type ScalingRules = Unchecked<autoscaling.HPAScalingRules>

export type MetricStatus = Unchecked<autoscaling.MetricStatus>
export type MetricValue = Unchecked<autoscaling.MetricValueStatus>
