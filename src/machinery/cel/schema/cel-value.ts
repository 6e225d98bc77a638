import { isObject } from '../../object.ts'
import type { ListSchema, Schema, StructSchema } from '../../schema/schema.ts'
import { parseDuration, parseTimestamp } from '../standard/time.ts'
import { CelError, decodedList, type Value } from '../values.ts'
import { formatOf, schemaIsEmbedded } from './cel-type.ts'
import { escapeFieldName, unescapeFieldName } from './field-names.ts'
import { JsonMap } from './json-map.ts'
import { asKeyed, asSet } from './keyed-list.ts'

/**
 * A JSON value as expressions see it through its schema. Objects are converted lazily; the JSON must not change meanwhile. Throws
 * `CelError` for a value that does not fit the schema. `root`: the value is a whole object.
 */
export function celValueOf(schema: Schema, json: unknown, root = false): Value {
  if (json === null || json === undefined) {
    if (schema.nullable === true || schema.type === 'any') return null
    throw new CelError(`invalid data, expected ${schema.type} for schema, got nil`)
  }
  switch (schema.type) {
    case 'any':
      return schema.embedded === true && isObject(json) ? objectValue(EMPTY, json, true) : celDynamic(json)
    case 'scalar':
      return scalarValue(schema.scalar, formatOf(schema), json)
    case 'list':
      if (!Array.isArray(json)) throw wrong('array', json)
      return listValue(schema, json)
    case 'map':
      if (!isObject(json)) throw wrong('object', json)
      return new JsonMap(json, (value) => celValueOf(schema.values, value, schemaIsEmbedded(schema.values)))
    case 'struct':
      if (!isObject(json)) throw wrong('object', json)
      return objectValue(schema, json, root || schema.embedded === true)
  }
}

/** A JSON value without a schema: whole numbers are ints, all others doubles. */
export function celDynamic(json: unknown): Value {
  if (json === null || json === undefined) return null
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json
  if (typeof json !== 'object') return json as Value
  if (Array.isArray(json)) return decodedList(json.map(celDynamic))
  return new JsonMap(json as Readonly<Record<string, unknown>>, celDynamic)
}

const EMPTY: StructSchema = { type: 'struct', fields: new Map(), required: [] }
const NAMES = { nameOf: unescapeFieldName, keyOf: escapeFieldName }
/** A struct that preserves fields without declaring any is a plain map. */
const isOpen = (s: StructSchema) => s.preserveUnknown === true && s.fields.size === 0

function objectValue(schema: StructSchema, json: Readonly<Record<string, unknown>>, root: boolean): Value {
  if (isOpen(schema) && !root) return new JsonMap(json, celDynamic)
  const convert = (value: unknown, name: string): Value => {
    const field = schema.fields.get(name)?.schema
    if (field !== undefined) return celValueOf(field, value, schemaIsEmbedded(field))
    return celDynamic(value)
  }
  return new JsonMap(json, convert, NAMES)
}

function listValue(schema: ListSchema, json: readonly unknown[]): Value {
  const { items } = schema
  const root = schemaIsEmbedded(items)
  const out = new Array<Value>(json.length)
  for (let i = 0; i < json.length; i++) out[i] = celValueOf(items, json[i], root)
  if (schema.listType === 'set') return asSet(out)
  if (schema.listType === 'map')
    return asKeyed(
      out,
      (schema.listMapKeys ?? []).map((k) => escapeFieldName(k) ?? k),
    )
  return out
}

function wrong(wanted: string, json: unknown): CelError {
  const found = Array.isArray(json) ? 'array' : typeof json
  return new CelError(`invalid data, expected ${wanted} type to match the type of the schema, got ${found}`)
}

function scalarValue(scalar: string, format: string, json: unknown): Value {
  switch (scalar) {
    case 'bool':
      if (typeof json === 'boolean') return json
      throw wrong('boolean', json)
    case 'int32':
    case 'int64':
    case 'integer':
      if (typeof json === 'bigint') return json
      if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json)
      throw wrong('integer', json)
    case 'float64':
    case 'number':
      if (typeof json === 'number' || typeof json === 'bigint') return Number(json)
      throw wrong('number', json)
    case 'int-or-string':
    case 'quantity':
      return celDynamic(json)
    default:
      if (typeof json !== 'string') throw wrong('string', json)
      return textValue(scalar, format, json)
  }
}

function textValue(scalar: string, format: string, text: string): Value {
  if (scalar === 'bytes' || format === 'byte') return bytesOf(text)
  if (scalar === 'time' || scalar === 'microtime' || format === 'date-time') return converted('date-time', text, parseTimestamp)
  if (format === 'date') return converted('date', text, (t) => parseTimestamp(`${t}T00:00:00Z`))
  if (format === 'duration') return converted('duration', text, parseDuration)
  return text
}

function bytesOf(text: string): Value {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw new CelError(`Invalid byte formatted string ${text}`)
  return new Uint8Array(bytes)
}

function converted(format: string, text: string, parse: (text: string) => Value): Value {
  try {
    return parse(text)
  } catch {
    throw new CelError(`Invalid ${format} formatted string ${text}`)
  }
}
