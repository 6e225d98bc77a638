import { sortedByKey } from '../../base/by-text.ts'
import { type FieldError, invalid, key, required } from '../../machinery/field-error.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { ofSoundSelector, shownSelector } from '../pod/selected-template.ts'
import type { Job, JobSpec } from './job-types.ts'

const UID = 'batch.kubernetes.io/controller-uid'
const NAME = 'batch.kubernetes.io/job-name'
const OLDER_UID = 'controller-uid'
const OLDER_NAME = 'job-name'

/** Labels the pods of a Job with its name and uid, and selects them; unless the client sets the selector (`manualSelector`). */
export function generateSelector(job: Job): void {
  const spec: JobSpec = job.spec ?? {}
  if (spec.manualSelector) return
  const uid = job.metadata.uid ?? ''
  const name = job.metadata.name ?? ''
  spec.template ??= {}
  const given = spec.template.metadata?.labels
  const labels = { [UID]: uid, [NAME]: name, [OLDER_UID]: uid, [OLDER_NAME]: name, ...given }
  // A Job that got its labels from the template gets these as well: in Kubernetes both are one map.
  if (given !== undefined && given === job.metadata.labels) job.metadata.labels = { ...labels }
  spec.template.metadata = { ...spec.template.metadata, labels }
  spec.selector = { ...spec.selector, matchLabels: { [UID]: uid, ...spec.selector?.matchLabels } }
}

/** A generated selector must not be changed. */
export function validateGeneratedSelector(job: Job, newerLabels: boolean): FieldError[] {
  const spec: JobSpec = job.spec ?? {}
  const { selector } = spec
  if (spec.manualSelector || !selector) return []
  const uid = job.metadata.uid ?? ''
  if (uid === '') return [required('metadata.uid')]
  const expected: Record<string, string> = { [OLDER_UID]: uid, [OLDER_NAME]: job.metadata.name ?? '' }
  if (newerLabels) Object.assign(expected, { [UID]: uid, [NAME]: job.metadata.name ?? '' })
  const labels = spec.template?.metadata?.labels ?? {}
  const faults: FieldError[] = []
  for (const [name, value] of Object.entries(expected)) {
    const at = key('spec.template.metadata.labels', name)
    const actual = labels[name]
    if (actual === undefined) faults.push(required(at, `must be '${value}'`))
    else if (actual !== value) faults.push(invalid(at, sortedByKey(labels), `must be '${value}'`))
  }
  const generated = ofSoundSelector(selector, () =>
    compileLabelSelector(selector).matches(expected)
      ? []
      : [invalid('spec.selector', shownSelector(selector), '`selector` not auto-generated')],
  )
  return [...faults, ...generated]
}

/** True if the Job's pods have the newer labels. */
export function hasNewerLabels(job: Job): boolean {
  const labels = job.spec?.template?.metadata?.labels ?? {}
  return Object.hasOwn(labels, UID) && Object.hasOwn(labels, NAME)
}
