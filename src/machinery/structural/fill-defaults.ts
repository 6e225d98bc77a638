import { encodeJson } from '../json/strict-json.ts'
import { cloneJson, type Json, setOwn } from '../object.ts'
import { itemsOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

/**
 * The most that defaults add to one value, in characters of JSON: a list of a million empty objects may have a default of a kilobyte for
 * each. Nothing is added beyond it; such an object is larger than any that is stored, and is refused for that.
 */
export const MOST_ADDED_CHARACTERS = 4 * 1024 * 1024

interface Filling {
  /** Nulls stay where there is no default, for validation to refuse. */
  readonly keepNulls: boolean
  /** How many characters may still be added. */
  left: number
}

/** Adds the defaults of a schema to a value of it, in place; drops nulls that are not allowed where there is no default. */
export function fillDefaults(value: unknown, schema: SchemaProps | undefined, keepNulls = false): void {
  fill(value, schema, { keepNulls, left: MOST_ADDED_CHARACTERS })
}

function fill(value: unknown, schema: SchemaProps | undefined, filling: Filling): void {
  if (schema === undefined || value === null || typeof value !== 'object') return
  const { inside } = knowledgeOf(schema)
  if (!inside) return
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    if (items === undefined || (!hasDefault(items) && !knowledgeOf(items).inside)) return
    for (const [i, item] of value.entries()) {
      if (item === null && items.nullable !== true && hasDefault(items)) value[i] = defaultOf(items, filling) ?? item
      fill(value[i], items, filling)
    }
    return
  }
  fillObject(value as Record<string, Json>, schema, filling)
}

/** Validation accepts any value, null included. */
const isUntyped = (s: SchemaProps) => s.type === undefined && s['x-kubernetes-int-or-string'] !== true

const hasDefault = (s: SchemaProps) => s.default !== undefined && s.default !== null

/** A copy of the default; undefined: too much has been added already. */
function defaultOf(schema: SchemaProps, filling: Filling): Json | undefined {
  filling.left -= knowledgeOf(schema).defaultCharacters
  return filling.left < 0 ? undefined : cloneJson(schema.default ?? null)
}

function fillObject(value: Record<string, Json>, schema: SchemaProps, filling: Filling): void {
  for (const [name, property] of knowledgeOf(schema).defaulted) {
    if (Object.hasOwn(value, name) && (value[name] !== null || property.nullable === true)) continue
    const added = defaultOf(property, filling)
    if (added !== undefined) setOwn(value, name, added)
  }
  for (const name of Object.keys(value)) {
    const below = propertyOf(schema, name) ?? valuesOf(schema)
    if (below === undefined) continue
    if (value[name] === null && below.nullable !== true) fillNull(value, name, below, filling)
    fill(value[name], below, filling)
  }
}

function fillNull(value: Record<string, Json>, name: string, schema: SchemaProps, filling: Filling): void {
  if (hasDefault(schema)) {
    const added = defaultOf(schema, filling)
    if (added !== undefined) setOwn(value, name, added)
  } else if (!filling.keepNulls || isUntyped(schema)) delete value[name]
}

/** What is looked up for each of many values. */
interface Knowledge {
  /** True if a nested schema has defaults or nulls: most values need no walk. */
  readonly inside: boolean
  /** Its properties that have a default. */
  readonly defaulted: readonly (readonly [name: string, schema: SchemaProps])[]
  /** The length of its own default. */
  readonly defaultCharacters: number
}

const knowledge = new WeakMap<SchemaProps, Knowledge>()

function knowledgeOf(schema: SchemaProps): Knowledge {
  let known = knowledge.get(schema)
  if (known === undefined) {
    const properties = Object.entries(schema.properties ?? {})
    known = {
      inside: properties.length > 0 || valuesOf(schema) !== undefined || itemsOf(schema) !== undefined,
      defaulted: properties.filter(([, property]) => hasDefault(property)),
      defaultCharacters: hasDefault(schema) ? encodeJson(schema.default ?? null).length : 0,
    }
    knowledge.set(schema, known)
  }
  return known
}
