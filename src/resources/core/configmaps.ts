import { semanticEqual } from '../../machinery/equal.ts'
import { type FieldError, forbidden, invalid, key, tooLong } from '../../machinery/field-error.ts'
import { configMapKey } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'

/** The most bytes a ConfigMap or a Secret may hold. */
export const MAX_DATA_BYTES = 1024 * 1024

export const configMaps = define({
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  columns: [
    NAME,
    { name: 'Data', describes: 'data', cell: (o) => Object.keys(o.data ?? {}).length + Object.keys(o.binaryData ?? {}).length },
    AGE,
  ],
  rules: {
    validateCreate: validate,
    validateUpdate: (object, old) => [...validateFrozen(object, old, ['data', 'binaryData']), ...validate(object)],
  },
})

function validate(object: KubeObject): FieldError[] {
  const faults: FieldError[] = []
  const data: Record<string, string> = object.data ?? {}
  const binaryData: Record<string, string> = object.binaryData ?? {}
  let bytes = 0
  for (const [name, value] of Object.entries(data)) {
    const path = key('data', name)
    faults.push(...invalidEach(path, name, configMapKey(name)))
    if (Object.hasOwn(binaryData, name)) faults.push(invalid(path, name, 'duplicate of key present in binaryData'))
    bytes += Buffer.byteLength(value ?? '')
  }
  for (const [name, value] of Object.entries(binaryData)) {
    faults.push(...invalidEach(key('binaryData', name), name, configMapKey(name)))
    bytes += Buffer.byteLength(value ?? '', 'base64')
  }
  if (bytes > MAX_DATA_BYTES) faults.push(tooLong('[]', MAX_DATA_BYTES))
  return faults
}

/** Once `immutable` is set, neither it nor the data may change. */
export function validateFrozen(object: KubeObject, old: KubeObject, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return []
  const why = 'field is immutable when `immutable` is set'
  const faults: FieldError[] = []
  if (object.immutable !== true) faults.push(forbidden('immutable', why))
  for (const field of fields) if (!semanticEqual(object[field], old[field])) faults.push(forbidden(field, why))
  return faults
}
