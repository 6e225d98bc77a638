import { child, type FieldError, invalid, key, required } from '../../../machinery/field-error.ts'
import { dns1123Subdomain } from '../../../machinery/names.ts'
import { tryParseQuantity } from '../../../machinery/quantity.ts'
import { validateLabelSelector } from '../../../machinery/validation/label-selector.ts'
import { validateEnum } from '../../enumerations.ts'
import { validateTemplateMetadata } from '../../template-metadata.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'

/** A PersistentVolumeClaim's spec in a template. */
export type ClaimSpec = Unchecked<core.PersistentVolumeClaimSpec>
type ClaimTemplate = Unchecked<core.PersistentVolumeClaimTemplate>

/** Validates the claim template of an ephemeral volume. */
export function validateEphemeralClaim(template: ClaimTemplate | undefined, path: string): FieldError[] {
  if (!template) return [required(path)]
  return [
    ...validateTemplateMetadata(template.metadata, child(path, 'metadata')),
    ...validateClaimSpec(template.spec ?? {}, child(path, 'spec')),
  ]
}

/** Validates a claim's spec. */
export function validateClaimSpec(spec: ClaimSpec, path: string): FieldError[] {
  const faults: FieldError[] = []
  const modes = spec.accessModes ?? []
  const modesPath = child(path, 'accessModes')
  if (modes.length === 0) faults.push(required(modesPath, 'at least 1 access mode is required'))
  faults.push(...validateLabelSelector(spec.selector, child(path, 'selector')))
  for (const mode of modes) faults.push(...validateEnum(mode, 'core_v1.PersistentVolumeAccessMode', modesPath))
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    faults.push({
      type: 'FieldValueForbidden',
      field: modesPath,
      message: 'Forbidden: may not use ReadWriteOncePod with other access modes',
    })
  faults.push(...validateClaimStorage(spec, path))
  if (spec.storageClassName)
    for (const text of dns1123Subdomain(spec.storageClassName))
      faults.push(invalid(child(path, 'storageClassName'), spec.storageClassName, text))
  faults.push(...validateEnum(spec.volumeMode, 'core_v1.PersistentVolumeMode', child(path, 'volumeMode')))
  if (spec.volumeAttributesClassName)
    for (const text of dns1123Subdomain(spec.volumeAttributesClassName))
      faults.push(invalid(child(path, 'volumeAttributesClassName'), spec.volumeAttributesClassName, text))
  for (const field of ['dataSource', 'dataSourceRef'] as const)
    if (spec[field]) faults.push(...validateDataSource(spec[field], child(path, field)))
  return faults
}

function validateClaimStorage(spec: ClaimSpec, path: string): FieldError[] {
  const text = spec.resources?.requests?.storage
  const quantity = text === undefined ? undefined : tryParseQuantity(text)
  const at = key(child(path, 'resources'), 'storage')
  if (!quantity) return [required(at)]
  return quantity.sign() <= 0 ? [invalid(at, quantity.toString(), 'must be greater than zero')] : []
}

function validateDataSource(source: { apiGroup?: string; kind?: string; name?: string }, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!source.name) faults.push(required(child(path, 'name')))
  if (!source.kind) faults.push(required(child(path, 'kind')))
  if (!source.apiGroup && source.kind && source.kind !== 'PersistentVolumeClaim')
    faults.push(invalid(path, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  return faults
}
