import { Counter } from './counter.ts'
import type { MetricSource } from './metric-source.ts'

/** Reasons that are counted by their own names, as by the kubelet: the others could be any number. */
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

/** Pods that a node did not take, by reason. */
export interface AdmissionMetrics extends MetricSource {
  rejected(reason: string): void
}

export function createAdmissionMetrics(): AdmissionMetrics {
  const rejections = new Counter({
    name: 'kubelet_admission_rejections_total',
    help: 'Pods that this node did not take.',
    labels: ['reason'],
  })
  return {
    rejected: (reason) => rejections.add([KNOWN.has(reason) ? reason : reason.startsWith('OutOf') ? 'OutOfExtendedResources' : 'Other']),
    families: () => [rejections.family],
  }
}
