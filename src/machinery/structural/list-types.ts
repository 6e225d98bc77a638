import { equalJson } from '../equal.ts'
import { duplicate, type FieldError } from '../field-error.ts'
import { isObject, type Json } from '../object.ts'
import { sortedKeys } from '../sorted-keys.ts'
import { itemsOf, propertiesOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

/** Most reported faults of a list. */
export const MOST_FAULTS = 1000

/** Duplicates in lists that are sets, or maps by keys. `old`: unchanged parts are not checked again. */
export function checkListTypes(value: unknown, schema: SchemaProps, path = '', old?: unknown): FieldError[] {
  const faults: FieldError[] = []
  if (hasLists(schema)) visit(value, schema, path, faults, old)
  return faults
}

const knowledge = new WeakMap<SchemaProps, boolean>()

function hasLists(schema: SchemaProps): boolean {
  let known = knowledge.get(schema)
  if (known === undefined) {
    const type = schema['x-kubernetes-list-type']
    const items = itemsOf(schema)
    const values = valuesOf(schema)
    known =
      type === 'set' ||
      type === 'map' ||
      propertiesOf(schema).some(([, p]) => hasLists(p)) ||
      (items !== undefined && hasLists(items)) ||
      (values !== undefined && hasLists(values))
    knowledge.set(schema, known)
  }
  return known
}

function visit(value: unknown, schema: SchemaProps | undefined, path: string, faults: FieldError[], old: unknown): void {
  if (schema === undefined || value === null || typeof value !== 'object' || !hasLists(schema)) return
  if (old !== undefined && equalJson(old as Json, value as Json)) return
  if (Array.isArray(value)) {
    const type = schema['x-kubernetes-list-type']
    if (type === 'set')
      findDuplicates(
        value,
        (v) => canonical(v),
        path,
        faults,
        (v) => sortedKeys(v as Json),
      )
    else if (type === 'map') checkMap(value, schema, path, faults)
    const items = itemsOf(schema)
    for (const [i, item] of value.entries()) visit(item, items, `${path}[${i}]`, faults, undefined)
    return
  }
  for (const [name, below] of Object.entries(value)) {
    const property = propertyOf(schema, name)
    const deeper = property ?? valuesOf(schema)
    const at = property === undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    visit(below, deeper, at, faults, isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined)
  }
}

function checkMap(list: readonly unknown[], schema: SchemaProps, path: string, faults: FieldError[]): void {
  const keys = [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort()
  const items = itemsOf(schema)
  const keyOf = (value: unknown): Record<string, Json> => {
    const key: Record<string, Json> = {}
    if (!isObject(value)) return key
    for (const name of keys) {
      const own = Object.hasOwn(value, name) ? value[name] : propertyOf(items, name)?.default
      if (own !== undefined) key[name] = own
    }
    return key
  }
  findDuplicates(list, (v) => canonical(keyOf(v)), path, faults, keyOf)
}

function findDuplicates(
  list: readonly unknown[],
  idOf: (v: unknown) => string,
  path: string,
  faults: FieldError[],
  show: (v: unknown) => unknown,
): void {
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    const id = idOf(item)
    if (faults.length >= MOST_FAULTS) return
    if (seen.has(id)) faults.push(duplicate(`${path}[${i}]`, show(item)))
    seen.add(id)
  }
}

/** Equal texts for equal values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((k) => `${JSON.stringify(k)}:${canonical(value[k])}`)
      .join(',')}}`
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null')
}
