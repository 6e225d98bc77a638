import { semanticEqual } from '../../machinery/equal.ts'
import { type FieldError, forbidden, required } from '../../machinery/field-error.ts'
import { qualifiedName } from '../../machinery/names.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import type * as storage from '../types/storage.ts'
import type { UncheckedObject } from '../unchecked.ts'
import { validateParameters } from './storageclasses.ts'

type VolumeAttributesClass = UncheckedObject<storage.VolumeAttributesClass>

export const volumeAttributesClasses = define<VolumeAttributesClass>({
  group: 'storage.k8s.io',
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  singular: 'volumeattributesclass',
  shortNames: ['vac'],
  scope: 'Cluster',
  columns: [{ ...NAME }, { name: 'DriverName', describes: 'driverName', cell: (o) => o.driverName ?? '' }, AGE],
  rules: {
    returnsDeleted: true,
    validateCreate: validate,
    validateUpdate: (object, old) => {
      const faults = validate(object)
      if ((object.driverName ?? '') !== (old.driverName ?? '')) faults.push(forbidden('driverName', 'updates to driverName are forbidden.'))
      if (!semanticEqual(object.parameters, old.parameters)) faults.push(forbidden('parameters', 'updates to parameters are forbidden.'))
      return faults
    },
  },
})

function validate(object: VolumeAttributesClass): FieldError[] {
  const driver: string = object.driverName ?? ''
  const faults =
    driver === '' ? [required('driverName')] : invalidEach('driverName', driver.toLowerCase(), qualifiedName(driver.toLowerCase()))
  return [...faults, ...validateParameters(object.parameters, false, 'parameters')]
}
