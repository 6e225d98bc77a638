import type * as autoscaling from '../types/autoscaling.ts'
import type { Unchecked } from '../unchecked.ts'

/** What `autoscaling/v2` says of a HorizontalPodAutoscaler, as far as rules read it. */
export type HpaSpec = Unchecked<autoscaling.HorizontalPodAutoscalerSpec>
export type TargetRef = Unchecked<autoscaling.CrossVersionObjectReference>

export type MetricSpec = Unchecked<autoscaling.MetricSpec>
export type MetricIdentifier = Unchecked<autoscaling.MetricIdentifier>

export type MetricTarget = Unchecked<autoscaling.MetricTarget>
export type ScalingRules = Unchecked<autoscaling.HPAScalingRules>

export type MetricStatus = Unchecked<autoscaling.MetricStatus>
export type MetricValue = Unchecked<autoscaling.MetricValueStatus>
