import { semanticEqual } from '../../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid, key, required } from '../../../machinery/field-error.ts'
import { dns1123Subdomain } from '../../../machinery/names.ts'
import { tryParseQuantity } from '../../../machinery/quantity.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../../machinery/validation/label-selector.ts'
import { invalidEach } from '../../checks.ts'
import { enumOf, validateEnum } from '../../enumerations.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'

/** The spec of a PersistentVolumeClaim; also in pods (generic ephemeral volumes) and StatefulSets. */
export type ClaimSpec = Unchecked<core.PersistentVolumeClaimSpec>
type DataSource = Unchecked<core.TypedObjectReference>

const ACCESS_MODE = 'core_v1.PersistentVolumeAccessMode'

/** Access modes: known ones, and `ReadWriteOncePod` only alone. */
export function validateAccessModes(modes: readonly string[], path: string): FieldError[] {
  const faults = faultsOfEach(modes, (mode) => validateEnum(mode, ACCESS_MODE, path))
  const known = modes.filter((m) => enumOf(ACCESS_MODE).includes(m))
  if (known.includes('ReadWriteOncePod') && known.some((m) => m !== 'ReadWriteOncePod'))
    faults.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'))
  return faults
}

export const validateClassName = (name: string, path: string): FieldError[] => invalidEach(path, name, dns1123Subdomain(name))

/** Validates the spec of a claim. */
export function validateClaimSpec(spec: ClaimSpec, path: string): FieldError[] {
  const faults: FieldError[] = []
  const modes = spec.accessModes ?? []
  if (modes.length === 0) faults.push(required(child(path, 'accessModes'), 'at least 1 access mode is required'))
  faults.push(...validateLabelSelector(spec.selector, child(path, 'selector')))
  faults.push(...validateAccessModes(modes, child(path, 'accessModes')))
  faults.push(...validateStorage(spec.resources?.requests?.storage, key(child(path, 'resources'), 'storage')))
  if (spec.storageClassName) faults.push(...validateClassName(spec.storageClassName, child(path, 'storageClassName')))
  faults.push(...validateEnum(spec.volumeMode, 'core_v1.PersistentVolumeMode', child(path, 'volumeMode')))
  if (spec.dataSource) faults.push(...validateDataSource(spec.dataSource, child(path, 'dataSource')))
  if (spec.dataSourceRef) faults.push(...validateDataSource(spec.dataSourceRef, child(path, 'dataSourceRef')))
  if (spec.volumeAttributesClassName)
    faults.push(...validateClassName(spec.volumeAttributesClassName, child(path, 'volumeAttributesClassName')))
  return [...faults, ...validateSameSource(spec, path)]
}

function validateStorage(text: string | undefined, path: string): FieldError[] {
  const amount = text === undefined ? undefined : tryParseQuantity(text)
  if (amount === undefined) return [required(path)]
  return amount.sign() > 0 ? [] : [invalid(path, amount.toString(), 'must be greater than zero')]
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

/**
 * Validates the API group of the data source of a new claim, or of one in a template. Existing claims may have groups that are no longer
 * allowed.
 */
export const validateSourceGroups = (spec: ClaimSpec, path: string): FieldError[] =>
  (['dataSource', 'dataSourceRef'] as const).flatMap((field) => {
    const apiGroup = spec[field]?.apiGroup ?? ''
    return apiGroup === '' ? [] : invalidEach(child(path, field, 'apiGroup'), apiGroup, dns1123Subdomain(apiGroup))
  })

/** Kubernetes passes the path of the field instead of its value: a Go object that is printed as {}. */
const PRINTED_PATH = {}

/** `dataSource` and `dataSourceRef` must be equal where both are given. */
function validateSameSource({ dataSource, dataSourceRef: ref }: ClaimSpec, path: string): FieldError[] {
  if (dataSource === undefined || ref === undefined) return []
  if (ref.namespace) return [invalid(path, PRINTED_PATH, 'may not be specified when dataSourceRef.namespace is specified')]
  const plain = { apiGroup: ref.apiGroup, kind: ref.kind ?? '', name: ref.name ?? '' }
  const source = { apiGroup: dataSource.apiGroup, kind: dataSource.kind ?? '', name: dataSource.name ?? '' }
  return semanticEqual(plain, source) ? [] : [invalid(path, PRINTED_PATH, 'must match dataSourceRef')]
}
