import { defaultTemplate } from '../pod/defaults.ts'
import type { Job, JobSpec } from './job-types.ts'

const withoutLimit = 2_147_483_647

/** Fills the defaults of a Job. */
export function defaultJob(draft: Job): void {
  draft.spec ??= {}
  const spec: JobSpec = draft.spec
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
  spec.parallelism ??= 1
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : withoutLimit
  defaultJobParts(spec)
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed'
  spec.manualSelector ??= false
  takeTemplateLabels(draft)
}

/** The defaults that apply to the Job template of a CronJob, too. */
export function defaultJobParts(spec: JobSpec): void {
  for (const rule of spec.podFailurePolicy?.rules ?? []) for (const condition of rule.onPodConditions ?? []) condition.status ||= 'True'
  spec.template ??= {}
  defaultTemplate(spec.template)
}

/** A Job without labels gets those of its pod template, as the same map until either is changed. */
export function takeTemplateLabels(draft: Job): void {
  const labels = draft.spec?.template?.metadata?.labels
  if (labels && Object.keys(draft.metadata.labels ?? {}).length === 0) draft.metadata.labels = labels
}
