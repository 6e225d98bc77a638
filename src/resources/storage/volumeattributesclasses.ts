import { semanticEqual } from '../../machinery/equal.ts'
import { type FieldError, forbidden, required } from '../../machinery/field-error.ts'
import { qualifiedName } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { validateParameters } from './storageclasses.ts'

export const volumeAttributesClasses = define({
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

function validate(object: KubeObject): FieldError[] {
  const driver: string = object.driverName ?? ''
  const faults =
    driver === '' ? [required('driverName')] : invalidEach('driverName', driver.toLowerCase(), qualifiedName(driver.toLowerCase()))
  return [...faults, ...validateParameters(object.parameters, false, 'parameters')]
}
