import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, invalid } from '../../machinery/field-error.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { internalPodSpec, internalPodTemplate } from '../pod/internal-form.ts'
import { validateSelectorKept } from '../pod/selected-template.ts'
import type { PodRules, PodSpec, PodTemplateSpec } from '../pod/types.ts'
import { builtinSchema } from '../schema.ts'
import { hasNewerLabels } from './job-selector.ts'
import type { Job, JobSpec } from './job-types.ts'
import { shownSuccessPolicy, validateCompletionsUpdate, validateJob, validateSelectingSpec } from './validate-job.ts'

const jobSchema = builtinSchema('batch', 'v1', 'Job')
const IMMUTABLE = 'field is immutable'

/** Permitted changes of a Job: parallelism, deadlines, and scheduling directives as long as no pod was started. */
export function validateJobUpdate(job: Job, old: Job, rules: PodRules): FieldError[] {
  const spec: JobSpec = job.spec ?? {}
  const before: JobSpec = old.spec ?? {}
  const path = 'spec'
  const notStarted = before.suspend === true && !old.status?.startTime
  return [
    // Kubernetes validates the whole twice.
    ...validateJob(job, rules, hasNewerLabels(old)),
    ...validateSelectingSpec(spec, path, rules),
    ...validateCompletionsUpdate(spec, before, child(path, 'completions')),
    ...validateSelectorKept(spec.selector, before.selector, child(path, 'selector')),
    ...validateTemplateUpdate(spec.template ?? {}, before.template ?? {}, child(path, 'template'), notStarted),
    ...kept(spec, before, 'completionMode', spec.completionMode ?? null),
    ...kept(spec, before, 'podFailurePolicy', shownFailurePolicy(spec)),
    ...kept(spec, before, 'backoffLimitPerIndex', spec.backoffLimitPerIndex ?? null),
    ...kept(spec, before, 'managedBy', spec.managedBy ?? null),
    ...kept(spec, before, 'successPolicy', shownSuccessPolicy(spec)),
  ]
}

const shownFailurePolicy = (spec: JobSpec) => goForm(spec.podFailurePolicy, fieldSchema(jobSchema(), 'spec', 'podFailurePolicy'), true)

const kept = (spec: JobSpec, before: JobSpec, field: keyof JobSpec, shown: unknown): FieldError[] =>
  semanticEqual(spec[field] ?? null, before[field] ?? null) ? [] : [invalid(child('spec', field), shown, IMMUTABLE)]

function validateTemplateUpdate(template: PodTemplateSpec, before: PodTemplateSpec, path: string, notStarted: boolean): FieldError[] {
  if (!notStarted) return semanticEqual(template, before) ? [] : [invalid(path, internalPodTemplate(template), IMMUTABLE)]
  const expected = withDirectives(before.spec ?? {}, template.spec ?? {})
  return semanticEqual(template.spec ?? {}, expected) ? [] : [invalid(child(path, 'spec'), internalPodSpec(template.spec ?? {}), IMMUTABLE)]
}

/** The old spec with the new one's scheduling directives and resources. */
function withDirectives(before: PodSpec, now: PodSpec): PodSpec {
  const out: PodSpec = { ...before }
  copy(out, now, 'nodeSelector')
  copy(out, now, 'tolerations')
  copy(out, now, 'schedulingGates')
  const affinity = { ...before.affinity }
  if (now.affinity?.nodeAffinity) affinity.nodeAffinity = now.affinity.nodeAffinity
  else delete affinity.nodeAffinity
  if (Object.keys(affinity).length > 0 || now.affinity) out.affinity = affinity
  else delete out.affinity
  for (const field of ['containers', 'initContainers'] as const) {
    const list = before[field]
    if (!list || list.length !== (now[field] ?? []).length) continue
    out[field] = list.map((container, i) => {
      const { resources: _old, ...rest } = container
      const resources = now[field]?.[i]?.resources
      return resources ? { ...rest, resources } : rest
    })
  }
  return out
}

function copy<K extends keyof PodSpec>(to: PodSpec, from: PodSpec, field: K): void {
  if (from[field] === undefined) delete to[field]
  else to[field] = from[field]
}
