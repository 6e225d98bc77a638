import type { LabelSelector } from '../../machinery/validation/label-selector.ts'

/** What `autoscaling/v2` says of a HorizontalPodAutoscaler, as far as rules read it. */
export interface HpaSpec {
  scaleTargetRef?: TargetRef
  minReplicas?: number
  maxReplicas?: number
  metrics?: MetricSpec[]
  behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules }
}

export interface TargetRef {
  kind?: string
  name?: string
  apiVersion?: string
}

export interface MetricSpec {
  type?: string
  object?: { describedObject?: TargetRef; target?: MetricTarget; metric?: MetricIdentifier }
  pods?: { metric?: MetricIdentifier; target?: MetricTarget }
  resource?: { name?: string; target?: MetricTarget }
  containerResource?: { name?: string; container?: string; target?: MetricTarget }
  external?: { metric?: MetricIdentifier; target?: MetricTarget }
}

export interface MetricIdentifier {
  name?: string
  selector?: LabelSelector
}

export interface MetricTarget {
  type?: string
  value?: string
  averageValue?: string
  averageUtilization?: number
}

export interface ScalingRules {
  stabilizationWindowSeconds?: number
  selectPolicy?: string
  policies?: { type?: string; value?: number; periodSeconds?: number }[]
  tolerance?: string
}

export interface MetricStatus {
  type?: string
  object?: { metric?: MetricIdentifier; current?: MetricValue; describedObject?: TargetRef }
  pods?: { metric?: MetricIdentifier; current?: MetricValue }
  resource?: { name?: string; current?: MetricValue }
  containerResource?: { name?: string; container?: string; current?: MetricValue }
  external?: { metric?: MetricIdentifier; current?: MetricValue }
}

export interface MetricValue {
  value?: string
  averageValue?: string
  averageUtilization?: number
}
