import type { LabelSelector } from '../../machinery/validation/label-selector.ts'
import type { PodTemplateSpec } from '../pod/types.ts'

/** What a Job is asked to do, as far as rules read it. */
export interface JobSpec {
  parallelism?: number
  completions?: number
  activeDeadlineSeconds?: number
  podFailurePolicy?: { rules?: FailureRule[] }
  successPolicy?: { rules?: SuccessRule[] }
  backoffLimit?: number
  backoffLimitPerIndex?: number
  maxFailedIndexes?: number
  selector?: LabelSelector
  manualSelector?: boolean
  template?: PodTemplateSpec
  ttlSecondsAfterFinished?: number
  completionMode?: string
  suspend?: boolean
  podReplacementPolicy?: string
  managedBy?: string
}

export interface FailureRule {
  action?: string
  onExitCodes?: { containerName?: string; operator?: string; values?: number[] }
  onPodConditions?: { type?: string; status?: string }[]
}

export interface SuccessRule {
  succeededIndexes?: string
  succeededCount?: number
}
