import { cloneJson, type Json, setOwn } from '../object.ts'
import { itemsOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

/** Adds the defaults of a schema to a value of it, in place; drops nulls that are not allowed where there is no default. */
export function fillDefaults(value: unknown, schema: SchemaProps | undefined, keepNulls = false): void {
  if (schema === undefined || value === null || typeof value !== 'object' || !hasDefaultsOrNulls(schema)) return
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    if (items === undefined || (!hasDefault(items) && !hasDefaultsOrNulls(items))) return
    for (const [i, item] of value.entries()) {
      if (item === null && items.nullable !== true && hasDefault(items)) value[i] = cloneJson(items.default)
      fillDefaults(value[i], items, keepNulls)
    }
    return
  }
  fillObject(value as Record<string, Json>, schema, keepNulls)
}

const hasDefault = (s: SchemaProps) => s.default !== undefined && s.default !== null

function fillObject(value: Record<string, Json>, schema: SchemaProps, keepNulls: boolean): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!hasDefault(property)) continue
    if (!Object.hasOwn(value, name) || (value[name] === null && property.nullable !== true))
      setOwn(value, name, cloneJson(property.default))
  }
  for (const name of Object.keys(value)) {
    const below = propertyOf(schema, name) ?? valuesOf(schema)
    if (below === undefined) continue
    if (value[name] === null && below.nullable !== true) {
      if (!hasDefault(below)) {
        if (!keepNulls) delete value[name]
      } else setOwn(value, name, cloneJson(below.default))
    }
    fillDefaults(value[name], below, keepNulls)
  }
}

const relevance = new WeakMap<SchemaProps, boolean>()

/** Whether a schema says anything of the values inside: most values need not be walked. */
function hasDefaultsOrNulls(schema: SchemaProps): boolean {
  let known = relevance.get(schema)
  if (known === undefined) {
    known = Object.keys(schema.properties ?? {}).length > 0 || valuesOf(schema) !== undefined || itemsOf(schema) !== undefined
    relevance.set(schema, known)
  }
  return known
}
