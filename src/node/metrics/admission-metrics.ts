import { CounterMetric } from '../../base/metrics.ts'
import type { MetricSource } from './metric-source.ts'

/** Reasons with a label of their own, as in the kubelet; all others count as one, which bounds the number of series. */
const KNOWN = new Set([
  'AppArmor',
  'PodOSSelectorNodeLabelDoesNotMatch',
  'PodOSNotSupported',
  'InvalidNodeInfo',
  'InitContainerRestartPolicyForbidden',
  'SupplementalGroupsPolicyNotSupported',
  'UnexpectedAdmissionError',
  'UnknownReason',
  'UnexpectedPredicateFailureType',
  'OutOfcpu',
  'OutOfmemory',
  'OutOfephemeral-storage',
  'OutOfpods',
  'PodLevelResourcesNotSupported',
  'PodFeatureUnsupported',
  'Evicted',
  'SysctlForbidden',
  'TopologyAffinityError',
  'NodeShutdown',
  'VolumeAttachmentLimitExceeded',
])

/** Rejected pods by reason. */
export interface AdmissionMetrics extends MetricSource {
  rejected(reason: string): void
}

export function createAdmissionMetrics(): AdmissionMetrics {
  const rejections = new CounterMetric({
    name: 'kubelet_admission_rejections_total',
    help: 'Pods that this node did not take.',
    labels: ['reason'],
  })
  return {
    rejected: (reason) => rejections.add([KNOWN.has(reason) ? reason : reason.startsWith('OutOf') ? 'OutOfExtendedResources' : 'Other']),
    families: () => [rejections.family],
  }
}
