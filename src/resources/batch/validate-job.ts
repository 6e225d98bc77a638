import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, invalid, notSupported, required, tooLong } from '../../machinery/field-error.ts'
import { dns1123Label } from '../../machinery/names.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { validateDomainPrefixedPath } from '../../machinery/validation/domain-name.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { validateNonNegative } from '../checks.ts'
import { ofSoundSelector, validateTemplateMatches } from '../pod/selected-template.ts'
import type { PodRules } from '../pod/types.ts'
import { validatePodTemplate } from '../pod/validation/validate-template.ts'
import { validateGeneratedSelector } from './job-selector.ts'
import type { Job, JobSpec, SuccessRule } from './job-types.ts'
import { validatePodFailurePolicy } from './validate-pod-failure-policy.ts'
import { validateSuccessPolicy } from './validate-success-policy.ts'

const longestManager = 63
const mostParallelIndexed = 100_000
const manyCompletions = 100_000
const mostParallelOfMany = 10_000

/** Validates a new Job. */
export function validateJob(job: Job, rules: PodRules, newerLabels = true): FieldError[] {
  const spec: JobSpec = job.spec ?? {}
  const faults = [...validateGeneratedSelector(job, newerLabels), ...validateSelectingSpec(spec, 'spec', rules)]
  if (spec.completionMode !== 'Indexed' || !spec.completions || spec.completions <= 0) return faults
  const host = `${job.metadata.name ?? ''}-${spec.completions - 1}`
  for (const _ of dns1123Label(host))
    faults.push(invalid('metadata.name', job.metadata.name ?? '', `will not able to create pod with invalid DNS label: ${host}`))
  return faults
}

/** Validates a spec with its selector. */
export function validateSelectingSpec(spec: JobSpec, path: string, rules: PodRules): FieldError[] {
  const faults = validateJobSpec(spec, path, rules)
  if (!spec.selector) faults.push(required(child(path, 'selector')))
  else faults.push(...validateLabelSelector(spec.selector, child(path, 'selector')))
  const matches = () => validateTemplateMatches(spec.template ?? {}, spec.selector, child(path, 'template'))
  return [...faults, ...ofSoundSelector(spec.selector, matches)]
}

/** Validates a spec whose selector is not yet generated (in a CronJob). */
export function validateJobSpec(spec: JobSpec, path: string, rules: PodRules): FieldError[] {
  const faults: FieldError[] = []
  for (const field of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const)
    faults.push(...validateNonNegative(spec[field], child(path, field)))
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    faults.push(required(child(path, 'backoffLimitPerIndex'), 'when maxFailedIndexes is specified'))
  if (spec.managedBy !== undefined) {
    faults.push(...validateDomainPrefixedPath(child(path, 'managedBy'), spec.managedBy))
    if (spec.managedBy.length > longestManager) faults.push(tooLong(child(path, 'managedBy'), longestManager))
  }
  faults.push(...validateCompletionMode(spec, path))
  if (spec.podFailurePolicy) faults.push(...validatePodFailurePolicy(spec, child(path, 'podFailurePolicy')))
  if (spec.successPolicy) {
    if (spec.completionMode !== 'Indexed')
      faults.push(invalid(child(path, 'successPolicy'), shownSuccessPolicy(spec), 'requires indexed completion mode'))
    else faults.push(...validateSuccessPolicy(spec, child(path, 'successPolicy')))
  }
  faults.push(...validateReplacement(spec, child(path, 'podReplacementPolicy')))
  faults.push(...validatePodTemplate(spec.template ?? {}, child(path, 'template'), rules))
  return [...faults, ...validateRestartPolicy(spec, child(path, 'template', 'spec', 'restartPolicy'))]
}

/** The success policy in Go's form. */
export function shownSuccessPolicy(spec: JobSpec): object | null {
  const policy = spec.successPolicy
  if (!policy) return null
  const rules = policy.rules ?? givenEmpty(policy, 'rules')
  if (!Array.isArray(rules)) return { Rules: null }
  return {
    Rules: rules.map((rule: SuccessRule) => ({
      SucceededIndexes: rule.succeededIndexes ?? null,
      SucceededCount: rule.succeededCount ?? null,
    })),
  }
}

function validateRestartPolicy(spec: JobSpec, path: string): FieldError[] {
  const policy = spec.template?.spec?.restartPolicy ?? ''
  const faults: FieldError[] = []
  if (policy === '' || policy === 'Always') faults.push(required(path, 'valid values: "OnFailure", "Never"'))
  else if (policy !== 'OnFailure' && policy !== 'Never') faults.push(notSupported(path, policy, ['OnFailure', 'Never']))
  else if (spec.podFailurePolicy && policy !== 'Never')
    faults.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'))
  return faults
}

function validateReplacement(spec: JobSpec, path: string): FieldError[] {
  const policy = spec.podReplacementPolicy
  if (policy === undefined) return []
  const supported = spec.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed']
  return supported.includes(policy) ? [] : [notSupported(path, policy, supported)]
}

function validateCompletionMode(spec: JobSpec, path: string): FieldError[] {
  const mode = spec.completionMode
  const faults: FieldError[] = []
  if (mode === 'Indexed') return validateIndexed(spec, path)
  if (mode !== undefined && mode !== 'NonIndexed') return [notSupported(child(path, 'completionMode'), mode, ['NonIndexed', 'Indexed'])]
  for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
    if (spec[field] !== undefined) faults.push(invalid(child(path, field), spec[field], 'requires indexed completion mode'))
  return faults
}

function validateIndexed(spec: JobSpec, path: string): FieldError[] {
  const { completions, parallelism, maxFailedIndexes: failed } = spec
  const faults: FieldError[] = []
  if (completions === undefined) faults.push(required(child(path, 'completions'), 'when completion mode is Indexed'))
  if (parallelism !== undefined && parallelism > mostParallelIndexed)
    faults.push(
      invalid(
        child(path, 'parallelism'),
        parallelism,
        `must be less than or equal to ${mostParallelIndexed} when completion mode is Indexed`,
      ),
    )
  if (completions !== undefined && failed !== undefined && failed > completions)
    faults.push(invalid(child(path, 'maxFailedIndexes'), failed, 'must be less than or equal to completions'))
  if (failed !== undefined && failed > mostParallelIndexed)
    faults.push(invalid(child(path, 'maxFailedIndexes'), failed, `must be less than or equal to ${mostParallelIndexed}`))
  if (completions === undefined || completions <= manyCompletions || spec.backoffLimitPerIndex === undefined) return faults
  const text = `must be less than or equal to ${mostParallelOfMany} when completions are above ${manyCompletions} and used with backoff limit per index`
  if (failed === undefined)
    faults.push(required(child(path, 'maxFailedIndexes'), `must be specified when completions is above ${manyCompletions}`))
  if (parallelism !== undefined && parallelism > mostParallelOfMany) faults.push(invalid(child(path, 'parallelism'), parallelism, text))
  if (failed !== undefined && failed > mostParallelOfMany) faults.push(invalid(child(path, 'maxFailedIndexes'), failed, text))
  return faults
}

/** Validates a change of completions: permitted for indexed Jobs, together with parallelism. */
export function validateCompletionsUpdate(spec: JobSpec, old: JobSpec, path: string): FieldError[] {
  if (semanticEqual(spec.completions ?? null, old.completions ?? null)) return []
  if (spec.completionMode !== 'Indexed') return [invalid(path, spec.completions ?? null, 'field is immutable')]
  if (spec.completions === undefined || spec.completions === spec.parallelism) return []
  return [invalid(path, spec.completions, 'can only be modified in tandem with spec.parallelism')]
}
