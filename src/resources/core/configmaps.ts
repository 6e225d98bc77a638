import { semanticEqual } from '../../machinery/equal.ts'
import { type FieldError, forbidden, invalid, key, tooLong } from '../../machinery/field-error.ts'
import { configMapKey } from '../../machinery/names.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'

type ConfigMap = UncheckedObject<core.ConfigMap>

/** Most bytes of the values of a ConfigMap or a Secret. */
export const MAX_DATA_BYTES = 1024 * 1024

export const configMaps = define<ConfigMap>({
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
    validateUpdate: (object, old) => [
      ...validateFrozen(object, old, { fields: ['data', 'binaryData'], bytes: 'binaryData' }),
      ...validate(object),
    ],
  },
})

function validate(object: ConfigMap): FieldError[] {
  const data: Record<string, string> = object.data ?? {}
  const binaryData: Record<string, string> = object.binaryData ?? {}
  const faults = [
    ...faultsOfEach(Object.keys(data), (name) => {
      const path = key('data', name)
      const repeated = Object.hasOwn(binaryData, name) ? [invalid(path, name, 'duplicate of key present in binaryData')] : []
      return [...invalidEach(path, name, configMapKey(name)), ...repeated]
    }),
    ...faultsOfEach(Object.keys(binaryData), (name) => invalidEach(key('binaryData', name), name, configMapKey(name))),
  ]
  if (sizeBytes(data, 'utf8') + sizeBytes(binaryData, 'base64') > MAX_DATA_BYTES) faults.push(tooLong('[]', MAX_DATA_BYTES))
  return faults
}

/** The total size of the values in bytes. */
export const sizeBytes = (data: Readonly<Record<string, string>>, encoding: 'utf8' | 'base64'): number =>
  Object.values(data).reduce((bytes, value) => bytes + Buffer.byteLength(value ?? '', encoding), 0)

/** Once `immutable` is set, neither it nor the data may change. `bytes`: the field that is a map of bytes. */
export function validateFrozen<T extends { immutable?: boolean }>(
  object: T,
  old: T,
  { fields, bytes }: { readonly fields: readonly (keyof T & string)[]; readonly bytes: keyof T & string },
): FieldError[] {
  if (old.immutable !== true) return []
  const why = 'field is immutable when `immutable` is set'
  const faults: FieldError[] = []
  if (object.immutable !== true) faults.push(forbidden('immutable', why))
  // To Kubernetes an empty map of bytes is another value than none.
  const same = (field: keyof T & string) =>
    semanticEqual(object[field], old[field]) && (field !== bytes || givenEmpty(object, field) === undefined)
  return [...faults, ...fields.filter((field) => !same(field)).map((field) => forbidden(field, why))]
}
