import { atOnce, Pace, type Steps } from '../../base/steps.ts'
import { cloneJson, type Json, type JsonObject, setOwn } from '../object.ts'
import { sortedKeys } from '../sorted-keys.ts'
import { isHeavy, lightWeight } from '../weight.ts'
import { type Decoded, DecodeError, decodeObject, decodeObjectInSteps, decodeValue } from './decode.ts'
import { goKindName, goTypeName } from './go-print.ts'
import type { AnySchema, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from './schema.ts'

/**
 * Decodes a patched object into its type. Kubernetes uses another converter for this than for bodies: it stops at the first fault, its
 * messages have no paths, and it is more lenient with numbers. The result is the same as that of `decodeObject`, and shares nothing with
 * its argument.
 *
 * `known`: fields of the object that are in canonical form; they become part of the result.
 *
 * Throws {@link DecodeError}: `cannot restore slice from map`, `unrecognized type: int32`, `strict decoding error: unknown field "spec.x"`.
 */
export const fromUnstructured = (...given: Parameters<typeof fromUnstructuredInSteps>): Decoded => atOnce(fromUnstructuredInSteps(...given))

/** The same in steps. */
export function* fromUnstructuredInSteps(
  schema: Schema,
  object: JsonObject,
  fieldValidation: 'Strict' | 'Warn' | 'Ignore' = 'Ignore',
  known?: ReadonlySet<unknown>,
): Steps<Decoded> {
  const unknown = new Set<string>()
  const heavy = isHeavy(object)
  const place = { unknown, known }
  const converted = heavy ? yield* convertAll(schema, object, place) : convert(schema, object, place)
  const warnings = [...unknown].sort().map((path) => `unknown field "${path}"`)
  if (fieldValidation === 'Strict' && warnings.length > 0) throw new DecodeError('strict', `strict decoding error: ${warnings.join(', ')}`)
  const options = { share: true, ...(known && { known }) }
  const { object: decoded } = heavy ? yield* decodeObjectInSteps(schema, converted, options) : decodeObject(schema, converted, options)
  return {
    object: decoded,
    warnings: fieldValidation === 'Warn' ? warnings : [],
  }
}

function* convertAll(schema: Schema, object: JsonObject, place: Position): Steps<Json> {
  try {
    return yield* convertInSteps({ schema, value: object, place }, new Pace())
  } catch (error) {
    if (error instanceof RangeError) throw fault('exceeded max depth')
    throw error
  }
}

/** The position of a value. Its path is formatted only for a fault: most patches have none. */
interface Position {
  readonly unknown: Set<string>
  /** At the root only: fields in canonical form. */
  readonly known?: ReadonlySet<unknown> | undefined
  readonly above?: Position
  /** A field's name, or an element's index. */
  readonly step?: string | number
}

function pathTo(place: Position, name: string): string {
  let path = name
  for (let at: Position | undefined = place; at?.step !== undefined; at = at.above) {
    const dot = path.startsWith('[') ? '' : '.'
    path = `${typeof at.step === 'number' ? `[${at.step}]` : at.step}${dot}${path}`
  }
  return path
}

interface Conversion {
  readonly schema: Schema
  readonly value: Json
  readonly place: Position
}

/** Converts the members of heavy values one after the other, and light values at once. */
function* convertInSteps({ schema, value, place }: Conversion, pace: Pace): Steps<Json> {
  const weight = lightWeight(value)
  if (weight !== undefined || value === null || typeof value !== 'object') {
    if (pace.due(weight)) yield
    return convert(schema, value, place)
  }
  const next = (member: Schema, item: Json, step: string | number) =>
    convertInSteps({ schema: member, value: item, place: { unknown: place.unknown, above: place, step } }, pace)
  if (schema.type === 'list' && Array.isArray(value)) {
    const items: Json[] = []
    for (const [i, item] of value.entries()) items.push(yield* next(schema.items, item, i))
    return items
  }
  if (schema.type === 'map' && !Array.isArray(value)) {
    const out: JsonObject = {}
    for (const key of Object.keys(value)) setOwn(out, key, yield* next(schema.values, value[key] ?? null, key))
    return out
  }
  if (schema.type !== 'struct' || Array.isArray(value)) return convert(schema, value, place)
  const out: JsonObject = {}
  for (const [name, field] of schema.fields) {
    const item = Object.hasOwn(value, name) ? value[name] : undefined
    if (item !== undefined) out[name] = place.known?.has(item) === true ? item : yield* next(field.schema, item, name)
  }
  for (const name of Object.keys(value)) {
    if (pace.due()) yield
    noteUnknown(schema, name, place)
  }
  return out
}

/** The value with converted numbers; throws a fault. */
function convert(schema: Schema, value: Json, place: Position): Json {
  if (value === null) return null
  switch (schema.type) {
    case 'struct':
      return convertStruct(schema, value, place)
    case 'map':
      return convertMap(schema, value, place)
    case 'list':
      return convertList(schema, value, place)
    case 'any':
      return convertAny(schema, value)
    case 'scalar':
      return convertScalar(schema, value)
  }
}

const convertAt = (schema: Schema, value: Json, above: Position, step: string | number): Json =>
  schema.type === 'scalar' && value !== null
    ? convertScalar(schema, value)
    : convert(schema, value, { unknown: above.unknown, above, step })

function convertStruct(schema: StructSchema, value: Json, place: Position): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw fault(`cannot restore struct from: ${goKindName(value)}`)
  const { names, schemas } = fieldsOf(schema)
  const out: JsonObject = {}
  let known = 0
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    if (!Object.hasOwn(value, name)) continue
    known++
    const item = value[name]
    if (item !== undefined) out[name] = place.known?.has(item) === true ? item : convertAt(schemas[i] as Schema, item, place, name)
  }
  for (const _ in value) if (--known < 0) break
  if (known < 0) for (const name in value) if (Object.hasOwn(value, name)) noteUnknown(schema, name, place)
  return out
}

function noteUnknown(schema: StructSchema, name: string, place: Position): void {
  if (!schema.fields.has(name)) place.unknown.add(pathTo(place, name))
}

interface StructFields {
  readonly names: readonly string[]
  readonly schemas: readonly Schema[]
}

/** The fields of structs as arrays: iterating a map allocates an array for each entry. */
const structFields = new WeakMap<StructSchema, StructFields>()

function fieldsOf(schema: StructSchema): StructFields {
  let found = structFields.get(schema)
  if (found === undefined) {
    found = { names: [...schema.fields.keys()], schemas: [...schema.fields.values()].map((field) => field.schema) }
    structFields.set(schema, found)
  }
  return found
}

function convertMap(schema: MapSchema, value: Json, place: Position): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw fault(`cannot restore map from ${goKindName(value)}`)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(schema.values, item ?? null, place)])) // `fromEntries` makes `__proto__` an ordinary key
}

function convertList(schema: ListSchema, value: Json, place: Position): Json {
  if (!Array.isArray(value)) throw fault(`cannot restore slice from ${goKindName(value)}`)
  return value.map((item, i) => convertAt(schema.items, item, place, i))
}

/** Types with a decoder of their own use it; it does not know its path. */
function convertAny(schema: AnySchema, value: Json): Json {
  return schema.alternative === undefined ? cloneJson(sortedKeys(value)) : decodeValue(schema, value)
}

function convertScalar(schema: ScalarSchema, value: Json): Json {
  const { scalar } = schema
  const go = schema.go ?? scalar
  switch (scalar) {
    case 'string':
      if (typeof value === 'string') return value
      if (typeof value === 'bigint' || Number.isInteger(value)) throw fault(`cannot convert ${goTypeName(value)} to ${go}`)
      throw fault('unrecognized type: string')
    case 'bool':
      if (typeof value === 'boolean') return value
      throw fault('unrecognized type: bool')
    case 'int32':
    case 'int64':
    case 'integer':
      return toInteger(value, scalar === 'int32' ? scalar : 'int64', go)
    case 'float64':
    case 'number':
      if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
      throw fault('unrecognized type: float64')
    case 'bytes':
      return toBytes(schema, value)
    default:
      return decodeValue(schema, value)
  }
}

/** Go's kinds of integers, and how its conversion truncates numbers that are too large for them. */
const CUT = {
  int32: (whole: bigint) => BigInt.asIntN(32, whole),
  int64: (whole: bigint) => BigInt.asIntN(64, whole),
  uint8: (whole: bigint) => BigInt.asUintN(8, whole),
} as const

function toInteger(value: Json, kind: keyof typeof CUT, go: string): Json {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw fault(`unrecognized type: ${kind}`)
  if (typeof value === 'number' && !Number.isInteger(value)) throw fault(`cannot convert float64 to ${go}`)
  // A float beyond the range of an int64 becomes the least one.
  const cut = CUT[kind](typeof value === 'number' && (value >= 2 ** 63 || value < -(2 ** 63)) ? -(2n ** 63n) : BigInt(value))
  return Number.isSafeInteger(Number(cut)) ? Number(cut) : cut
}

function toBytes(schema: ScalarSchema, value: Json): Json {
  if (typeof value === 'string') {
    try {
      return decodeValue(schema, value)
    } catch (error) {
      if (error instanceof DecodeError) throw fault(`error decoding from json: ${error.message}`)
      throw error
    }
  }
  if (!Array.isArray(value)) throw fault(`cannot restore slice from ${goKindName(value)}`)
  return Buffer.from(value.map((item) => (item === null ? 0 : Number(toInteger(item, 'uint8', 'uint8'))))).toString('base64')
}

const fault = (message: string) => new DecodeError('type', message)
