import { type FieldError, index, invalid, invalidNamed } from '../../machinery/field-error.ts'
import { qualifiedName } from '../../machinery/names.ts'
import type { ResourceRules } from '../../machinery/resource/definition.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { labelName } from '../../machinery/validation/object-name.ts'
import { AGE, define, NAME } from '../define.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'

type Namespace = UncheckedObject<core.Namespace>

const NAME_LABEL = 'kubernetes.io/metadata.name'
const FINALIZER = 'kubernetes'

/** The rules of the finalize subresource, which changes the finalizers in the spec. */
const finalizeRules: Partial<ResourceRules<Namespace>> = {
  prepareForUpdate: (draft, old) => {
    if (old.status) draft.status = old.status
  },
  validateUpdate: (namespace) => validateFinalizers(namespace, true),
  resetFields: { finalize: [['status']] },
}

const statusRules: Partial<ResourceRules<Namespace>> = {
  validateUpdate: (namespace) => {
    const phase = namespace.status?.phase ?? ''
    const deleted = namespace.metadata.deletionTimestamp !== undefined
    if (!deleted && phase !== 'Active') return [invalidNamed('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty")]
    if (deleted && phase !== 'Terminating')
      return [invalidNamed('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")]
    return []
  },
}

export const namespaces = define<Namespace>({
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  scope: 'Cluster',
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  columns: [NAME, { name: 'Status', description: 'Active, or on its way out.', cell: (o) => o.status?.phase ?? '' }, AGE],
  selectableFields: { 'status.phase': (namespace) => namespace.status?.phase ?? '' },
  rules: {
    defaults: (draft) => {
      draft.spec ??= {}
      draft.status ??= {}
      draft.status.phase ||= 'Active'
      label(draft)
    },
    validateName: labelName,
    statusFields: ['status'],
    prepareForCreate: (draft) => {
      draft.status = { phase: 'Active' }
      const finalizers = draft.spec?.finalizers ?? []
      draft.spec = { ...draft.spec, finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER] }
      label(draft)
    },
    validateCreate: (namespace) => validateFinalizers(namespace, false),
    prepareForUpdate: (draft, old) => {
      const { finalizers: _, ...spec } = draft.spec ?? {}
      draft.spec = { ...spec, ...(old.spec?.finalizers && { finalizers: old.spec.finalizers }) }
      label(draft)
    },
    validateUpdate: () => [],
    returnsDeleted: true,
    // The first delete marks it, even if nothing holds it.
    holdOnDelete: (draft, _, first) => {
      draft.status = { ...draft.status, phase: 'Terminating' }
      return first || (draft.spec?.finalizers ?? []).length > 0
    },
    deletesOnUpdate: (namespace) => (namespace.spec?.finalizers ?? []).length === 0,
  },
  subresources: {
    status: { kind: 'status', rules: statusRules, verbs: ['get', 'patch', 'update'] },
    finalize: { kind: 'part', verbs: ['update'], rules: finalizeRules },
  },
})

/** Every namespace has its own name as a label, so that selectors can refer to it. */
function label(draft: Namespace): void {
  if (draft.metadata.name) draft.metadata.labels = { ...draft.metadata.labels, [NAME_LABEL]: draft.metadata.name }
}

/** Kubernetes numbers the finalizers in paths only for the finalize subresource. */
function validateFinalizers(namespace: Namespace, numbered: boolean): FieldError[] {
  const finalizers = namespace.spec?.finalizers ?? []
  return faultsOfEach(finalizers, (name, i) => {
    const path = numbered ? index('spec.finalizers', i) : 'spec.finalizers'
    const faults = qualifiedName(name).map((text) => invalid(path, name, text))
    if (!name.includes('/') && name !== FINALIZER)
      faults.push(invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified'))
    return faults
  })
}
