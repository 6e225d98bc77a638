import { semanticEqual } from '../../../machinery/equal.ts'
import { child, type FieldError, forbidden, goQuote, invalid, key, required } from '../../../machinery/field-error.ts'
import { dns1123Subdomain } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../../machinery/validation/label-selector.ts'
import { invalidEach } from '../../checks.ts'
import { enumOf, validateEnum } from '../../enumerations.ts'
import { roundResources } from '../../pod/defaults.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'
import { quantityOf, validatePositiveAmount } from '../quota-resources.ts'

/** The spec of a PersistentVolumeClaim; also in pods (generic ephemeral volumes) and StatefulSets. */
export type ClaimSpec = Unchecked<core.PersistentVolumeClaimSpec>
type DataSource = Unchecked<core.TypedObjectReference>

const ACCESS_MODE = 'core_v1.PersistentVolumeAccessMode'

export function defaultClaimSpec(spec: ClaimSpec): void {
  spec.volumeMode ??= 'Filesystem'
  roundResources(spec.resources?.requests)
  roundResources(spec.resources?.limits)
}

/** Access modes: known ones, and `ReadWriteOncePod` only alone. */
export function validateAccessModes(modes: readonly string[], path: string): FieldError[] {
  const faults = faultsOfEach(modes, (mode) => validateEnum(mode, ACCESS_MODE, path))
  const known = modes.filter((m) => enumOf(ACCESS_MODE).includes(m))
  if (known.includes('ReadWriteOncePod') && known.some((m) => m !== 'ReadWriteOncePod'))
    faults.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'))
  return faults
}

export const validateClassName = (name: string, path: string): FieldError[] => invalidEach(path, name, dns1123Subdomain(name))

export function validateClaimSpec(spec: ClaimSpec, path: string): FieldError[] {
  const faults: FieldError[] = []
  const modes = spec.accessModes ?? []
  if (modes.length === 0) faults.push(required(child(path, 'accessModes'), 'at least 1 access mode is required'))
  faults.push(...validateLabelSelector(spec.selector, child(path, 'selector')))
  faults.push(...validateAccessModes(modes, child(path, 'accessModes')))
  const storage = spec.resources?.requests?.storage
  const storagePath = key(child(path, 'resources'), 'storage')
  if (storage === undefined) faults.push(required(storagePath))
  else faults.push(...validatePositiveAmount(storage, storagePath))
  if (spec.storageClassName) faults.push(...validateClassName(spec.storageClassName, child(path, 'storageClassName')))
  faults.push(...validateEnum(spec.volumeMode, 'core_v1.PersistentVolumeMode', child(path, 'volumeMode')))
  if (spec.dataSource) faults.push(...validateDataSource(spec.dataSource, child(path, 'dataSource')))
  if (spec.dataSourceRef) faults.push(...validateDataSource(spec.dataSourceRef, child(path, 'dataSourceRef')))
  if (spec.volumeAttributesClassName)
    faults.push(...validateClassName(spec.volumeAttributesClassName, child(path, 'volumeAttributesClassName')))
  return [...faults, ...validateSameSource(spec, path)]
}

function validateDataSource(source: DataSource, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!source.name) faults.push(required(child(path, 'name')))
  if (!source.kind) faults.push(required(child(path, 'kind')))
  const group = source.apiGroup ?? ''
  if (group === '' && source.kind !== 'PersistentVolumeClaim')
    faults.push(invalid(path, source.kind ?? '', "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  return faults
}

/** Validates the API group of the data source of a new claim. Existing claims may have groups that are no longer allowed. */
export const validateSourceGroups = (spec: ClaimSpec, path: string): FieldError[] =>
  (['dataSource', 'dataSourceRef'] as const).flatMap((field) => {
    const apiGroup = spec[field]?.apiGroup ?? ''
    return apiGroup === '' ? [] : invalidEach(child(path, field, 'apiGroup'), apiGroup, dns1123Subdomain(apiGroup))
  })

/** Kubernetes passes the path of the field instead of its value: a Go object that is printed as {}. */
const PRINTED_PATH = {}

/** `dataSource` and `dataSourceRef` must be equal. */
function validateSameSource(spec: ClaimSpec, path: string): FieldError[] {
  const ref = spec.dataSourceRef
  if (ref?.namespace)
    return spec.dataSource ? [invalid(path, PRINTED_PATH, 'may not be specified when dataSourceRef.namespace is specified')] : []
  const plain = ref && { apiGroup: ref.apiGroup, kind: ref.kind ?? '', name: ref.name ?? '' }
  const source = spec.dataSource && {
    apiGroup: spec.dataSource.apiGroup,
    kind: spec.dataSource.kind ?? '',
    name: spec.dataSource.name ?? '',
  }
  return semanticEqual(plain, source) ? [] : [invalid(path, PRINTED_PATH, 'must match dataSourceRef')]
}

const isKnownSource = (source: DataSource | undefined): boolean => {
  if (!source) return false
  const group = source.apiGroup ?? ''
  if (source.kind === 'PersistentVolumeClaim') return group === ''
  return source.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io'
}

/** Fills in each of the two data source fields from the other; an unknown kind in the older field alone is ignored. */
export function normalizeDataSources(spec: ClaimSpec, old: ClaimSpec | undefined): void {
  // The gate CrossNamespaceVolumeDataSource is off.
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef
  if (!old?.dataSource && !spec.dataSourceRef && !isKnownSource(spec.dataSource)) delete spec.dataSource
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource }
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { namespace: _, ...source } = spec.dataSourceRef
    spec.dataSource = source
  }
}

/** Warnings for amounts of storage that are not a whole number of bytes. */
export function claimWarnings(spec: ClaimSpec, path: string): string[] {
  const warn = (list: Record<string, string> | undefined, name: string) => {
    const amount = list?.storage
    if (amount === undefined || quantityOf(amount).isWhole()) return []
    return [`${key(child(path, 'resources', name), 'storage')}: fractional byte value ${goQuote(amount)} is invalid, must be an integer`]
  }
  return [...warn(spec.resources?.requests, 'requests'), ...warn(spec.resources?.limits, 'limits')]
}
