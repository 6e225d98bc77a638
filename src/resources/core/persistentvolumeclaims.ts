import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid, key } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { alsoEmpty } from '../../machinery/schema/given-empty.ts'
import { validateImmutableNamed } from '../../machinery/validation/object-meta.ts'
import { AGE, define, NAME } from '../define.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { type ClaimSpec, validateClaimSpec, validateSourceGroups } from '../pod/validation/validate-claim-spec.ts'
import { builtinSchema } from '../schema.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'
import { jsonDifference } from '../unified-diff.ts'
import { CLASS_ANNOTATION, classNameOf } from './claim-annotations.ts'
import { quantityOf } from './quota-resources.ts'
import { claimWarnings, defaultClaimSpec, normalizeDataSources } from './volumes/claim-spec.ts'
import { validateClaimStatus } from './volumes/claim-status.ts'

export type PersistentVolumeClaim = UncheckedObject<core.PersistentVolumeClaim>

const schema = builtinSchema('', 'v1', 'PersistentVolumeClaim')

export const persistentVolumeClaims = define<PersistentVolumeClaim>({
  group: '',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
  shortNames: ['pvc'],
  columns: [
    NAME,
    { name: 'Status', describes: 'status.phase', cell: phaseText },
    { name: 'Volume', describes: 'spec.volumeName', cell: (o) => o.spec?.volumeName ?? '' },
    { name: 'Capacity', describes: 'status.capacity', cell: (o) => (o.spec?.volumeName ? (o.status?.capacity?.storage ?? '0') : '') },
    {
      name: 'Access Modes',
      describes: 'status.accessModes',
      cell: (o) => (o.spec?.volumeName ? accessModesText(o.status?.accessModes) : ''),
    },
    { name: 'StorageClass', description: 'StorageClass of the pvc', cell: classNameOf },
    {
      name: 'VolumeAttributesClass',
      description: 'VolumeAttributesClass of the pvc',
      cell: (o) => o.spec?.volumeAttributesClassName ?? '<unset>',
    },
    AGE,
    { name: 'VolumeMode', priority: 1, describes: 'spec.volumeMode', cell: (o) => o.spec?.volumeMode ?? '<unset>' },
  ],
  readBack: showPhase,
  rules: {
    returnsDeleted: true,
    defaults: (draft) => {
      draft.spec ??= {}
      defaultClaimSpec(draft.spec)
      showPhase(draft)
    },
    prepareForCreate: (draft) => {
      draft.status = {}
      normalizeDataSources(draft.spec ?? {}, undefined)
    },
    validateCreate: (claim) => [...validateClaimSpec(claim.spec ?? {}, 'spec'), ...validateSourceGroups(claim.spec ?? {}, 'spec')],
    prepareForUpdate: (draft, old) => normalizeDataSources(draft.spec ?? {}, old.spec),
    validateUpdate: (claim, old) => [...validateClaimSpec(claim.spec ?? {}, 'spec'), ...validateChange(claim, old)],
    warnings: (claim) => [...classWarning(claim), ...claimWarnings(claim.spec ?? {}, 'spec')],
  },
  subresources: {
    status: {
      kind: 'status',
      rules: { prepareForUpdate: () => {}, validateUpdate: ({ status = {} }) => validateClaimStatus(status), warnings: () => [] },
    },
  },
})

/** Warns of the deprecated annotation of the class. */
export const classWarning = (object: KubeObject): string[] =>
  object.metadata.annotations?.[CLASS_ANNOTATION] === undefined
    ? []
    : [`${key('metadata.annotations', CLASS_ANNOTATION)}: deprecated since v1.8; use "storageClassName" attribute instead`]

/** The phase of a claim or a volume as a table cell. */
export function phaseText(object: KubeObject<unknown, { phase?: string }>): string {
  return object.metadata.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? '')
}

/** A claim without a phase is shown as pending. */
function showPhase(claim: PersistentVolumeClaim): void {
  claim.status ??= {}
  claim.status.phase ||= 'Pending'
}

const SHORT_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

/** `RWO,ROX`. */
export const accessModesText = (modes: readonly string[] | undefined): string =>
  SHORT_MODES.flatMap(([mode, short]) => (modes?.includes(mode) ? [short] : [])).join(',')

/** The immutable parts: copies of both specs in which all mutable fields are equal. What is compared only is shared: it may be large. */
function frozenSpecs(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): { now: ClaimSpec; before: ClaimSpec } {
  const now = shallowCopy(claim.spec)
  const before = shallowCopy(old.spec)
  if (!before.volumeName) {
    if (now.volumeName === undefined) delete before.volumeName
    else before.volumeName = now.volumeName
  }
  const setLater = before.storageClassName === undefined && old.metadata.annotations?.[CLASS_ANNOTATION] === undefined
  if (setLater || isMovedFromAnnotation(claim, old)) delete now.storageClassName
  if (claim.status?.phase === 'Bound') {
    const requests = now.resources?.requests
    const storage = before.resources?.requests?.storage
    if (requests && storage) now.resources = { ...now.resources, requests: { ...requests, storage } }
    if (before.volumeAttributesClassName === undefined) delete now.volumeAttributesClassName
    else now.volumeAttributesClassName = before.volumeAttributesClassName
  }
  return { now, before }
}

/** Whether the claim now names in its spec the class that an annotation named. */
function isMovedFromAnnotation(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const annotated = old.metadata.annotations?.[CLASS_ANNOTATION]
  return annotated !== undefined && old.spec?.storageClassName === undefined && claim.spec?.storageClassName === annotated
}

const shallowCopy = (spec: ClaimSpec = {}): ClaimSpec => alsoEmpty({ ...spec }, spec)

function validateChange(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const faults = validateClassAnnotation(claim, old)
  const { now, before } = frozenSpecs(claim, old)
  if (!semanticEqual(now, before)) {
    const form = (spec: ClaimSpec) => goForm(spec, fieldSchema(schema(), 'spec'))
    const text = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    faults.push(forbidden('spec', `${text}\n${jsonDifference(before, now, form)}`))
  }
  const size = quantityOf(claim.spec?.resources?.requests?.storage)
  const oldSize = quantityOf(old.spec?.resources?.requests?.storage)
  if (size.compare(oldSize) < 0 && size.compare(quantityOf(old.status?.capacity?.storage)) <= 0)
    faults.push(forbidden(child('spec', 'resources', 'requests', 'storage'), 'field can not be less than status.capacity'))
  faults.push(...validateImmutableNamed(claim.spec?.volumeMode, old.spec?.volumeMode, 'volumeMode'))
  return faults
}

/** The annotation may only go, when the spec names its class. */
function validateClassAnnotation(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const annotation = claim.metadata.annotations?.[CLASS_ANNOTATION]
  const kept = (annotation ?? '') === (old.metadata.annotations?.[CLASS_ANNOTATION] ?? '')
  if (kept || (annotation === undefined && isMovedFromAnnotation(claim, old))) return []
  return [invalid(child('metadata', 'annotations', CLASS_ANNOTATION), annotation ?? '', 'field is immutable')]
}
