import { type FieldError, required } from '../../machinery/field-error.ts'
import { validateImmutable } from '../../machinery/validation/object-meta.ts'
import { validateNonNegative } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import type * as apps from '../types/apps.ts'
import type { UncheckedObject } from '../unchecked.ts'

type ControllerRevision = UncheckedObject<apps.ControllerRevision>

export const controllerRevisions = define<ControllerRevision>({
  group: 'apps',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  singular: 'controllerrevision',
  columns: [
    NAME,
    { name: 'Controller', description: 'What the revision belongs to.', cell: controller },
    { name: 'Revision', describes: 'revision', cell: (o) => o.revision ?? 0 },
    AGE,
  ],
  rules: {
    validateCreate: validate,
    validateUpdate: (o, old) => [
      ...validateNonNegative(o.revision, 'revision'),
      ...validateImmutable(o.data ?? null, old.data ?? null, 'data'),
    ],
  },
})

function validate(o: ControllerRevision): FieldError[] {
  return [...validateData(o.data), ...validateNonNegative(o.revision, 'revision')]
}

function validateData(data: unknown): FieldError[] {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')]
  return typeof data === 'object' && !Array.isArray(data) ? [] : [required('data', 'data must be a valid JSON object')]
}

function controller(o: ControllerRevision): string {
  const owner = (o.metadata.ownerReferences ?? []).find((reference) => reference.controller)
  if (!owner) return '<none>'
  const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0] ?? ''}` : ''
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`
}
