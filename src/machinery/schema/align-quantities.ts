import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'
import { tryParseQuantity } from '../quantity.ts'
import { reaching } from './reaching.ts'
import type { Schema } from './schema.ts'

/**
 * The value with its quantities as `other` writes them, where both are the same number (`1Gi`, `1073741824`): Kubernetes compares numbers.
 * The value itself if there are none.
 */
export function alignQuantities(schema: Schema, value: Json, other: Json): Json {
  if (value === other || !hasQuantities(schema)) return value
  if (schema.type === 'scalar') return isSameQuantity(value, other) ? other : value
  if (schema.type === 'list') return Array.isArray(value) && Array.isArray(other) ? alignItems(schema.items, value, other) : value
  if (!isObject(value) || !isObject(other)) return value
  if (schema.type === 'struct') return alignMembers(value, other, (name) => schema.fields.get(name)?.schema)
  return schema.type === 'map' ? alignMembers(value, other, () => schema.values) : value
}

function alignItems(schema: Schema, items: Json[], others: readonly Json[]): Json[] {
  const aligned = items.map((item, i) => alignQuantities(schema, item, others[i] ?? null))
  return aligned.every((item, i) => item === items[i]) ? items : aligned
}

function alignMembers(object: JsonObject, other: JsonObject, schemaOf: (name: string) => Schema | undefined): JsonObject {
  let result: JsonObject | undefined
  for (const name of Object.keys(object)) {
    const schema = schemaOf(name)
    const member = object[name]
    if (schema === undefined || member === undefined || !Object.hasOwn(other, name)) continue
    const aligned = alignQuantities(schema, member, other[name] ?? null)
    if (aligned === member) continue
    result ??= { ...object }
    setOwn(result, name, aligned)
  }
  return result ?? object
}

function isSameQuantity(a: Json, b: Json): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false
  const quantity = tryParseQuantity(a)
  const other = tryParseQuantity(b)
  return quantity !== undefined && other !== undefined && quantity.equals(other)
}

/** Whether values of this type may have quantities. */
const hasQuantities = reaching((schema) => schema.type === 'scalar' && schema.scalar === 'quantity')
