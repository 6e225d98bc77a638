import { child, type FieldError, forbidden, required } from '../../../machinery/field-error.ts'
import { validateAccessModes } from '../../pod/validation/validate-claim-spec.ts'
import { type VolumeSpec, validateVolumeSource } from './volume-sources.ts'

const WHY = 'may not be specified in the context of inline volumes'

/** The spec of a PersistentVolume that is inline in a VolumeAttachment. */
export function validateInlineVolume(spec: VolumeSpec, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (spec.claimRef !== undefined) faults.push(forbidden(child(path, 'claimRef'), WHY))
  if (Object.keys(spec.capacity ?? {}).length > 0) faults.push(forbidden(child(path, 'capacity'), WHY))
  if (!spec.csi) faults.push(required(child(path, 'csi'), 'has to be specified in the context of inline volumes'))
  if (!spec.accessModes?.length) faults.push(required(child(path, 'accessModes')))
  faults.push(...validateAccessModes(spec.accessModes ?? [], child(path, 'accessModes')))
  if (spec.persistentVolumeReclaimPolicy && spec.persistentVolumeReclaimPolicy !== 'Retain')
    faults.push(forbidden(child(path, 'persistentVolumeReclaimPolicy'), 'may only be Retain in the context of inline volumes'))
  if (spec.storageClassName) faults.push(forbidden(child(path, 'storageClassName'), WHY))
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem')
    faults.push(forbidden(child(path, 'volumeMode'), 'may not specify volumeMode other than Filesystem in the context of inline volumes'))
  if (spec.nodeAffinity !== undefined) faults.push(forbidden(child(path, 'nodeAffinity'), WHY))
  return [...faults, ...validateVolumeSource(spec, path)]
}
