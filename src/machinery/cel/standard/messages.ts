import type { Json } from '../../object.ts'
import type { ObjectConstructor } from '../environment.ts'
import { toJson } from '../to-json.ts'
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, listOf, mapOf, type ScalarType, STRING, TIMESTAMP, UINT } from '../types.ts'
import { CelError, CelMap, Duration, isList, typeName, Uint, type Value } from '../values.ts'
import { checkedTimestamp } from './numbers.ts'

type Fields = ReadonlyMap<string, Value>

const PREFIX = 'google.protobuf.'

/** A message with fields of these types, whose value is one of the language's own. */
function message(
  name: string,
  fields: Readonly<Record<string, CelType>>,
  result: CelType,
  make: (fields: Fields) => Value,
): ObjectConstructor {
  const whole = `${PREFIX}${name}`
  const field = (of: string) => (Object.hasOwn(fields, of) ? fields[of] : undefined)
  return {
    type: { kind: 'object', name: whole, field },
    result,
    make(given) {
      for (const [of, value] of given) {
        const why = conversionFault(field(of) ?? DYN, value)
        if (why !== undefined) throw fieldError(`${whole}.${of}`, why)
      }
      return make(given)
    },
  }
}

const fieldError = (field: string, why: string) => new CelError(`field type conversion error for ${field} value type: ${why}`)

/** Go's types of the fields. */
const NATIVE: Readonly<Partial<Record<CelType['kind'], string>>> = {
  int: 'int64',
  uint: 'uint64',
  double: 'float64',
  bool: 'bool',
  bytes: 'bytes',
}

/** Why a value cannot be that of a field: the checker lets values of any type pass. */
function conversionFault(type: CelType, value: Value): string | undefined {
  const found = typeName(value)
  return type.kind === 'dyn' || type.kind === found
    ? undefined
    : `unsupported type conversion from '${found}' to ${NATIVE[type.kind] ?? type.kind}`
}

const wrapper = (name: string, type: ScalarType, zero: Value, convert: (value: Value) => Value = (value) => value) =>
  message(name, { value: type }, { ...type, nullable: true }, (fields) => {
    const value = fields.get('value')
    return value === undefined ? zero : convert(value)
  })

function int32(value: Value): Value {
  if (typeof value === 'bigint' && BigInt.asIntN(32, value) !== value) throw fieldError(`${PREFIX}Int32Value.value`, 'integer overflow')
  return value
}

function uint32(value: Value): Value {
  if (value instanceof Uint && BigInt.asUintN(32, value.value) !== value.value)
    throw fieldError(`${PREFIX}UInt32Value.value`, 'unsigned integer overflow')
  return value
}

const wholeOf = (value: Value | undefined): bigint => (typeof value === 'bigint' ? value : 0n)

function nanosOf(name: string, fields: Fields): bigint {
  const nanos = wholeOf(fields.get('nanos'))
  if (BigInt.asIntN(32, nanos) !== nanos) throw fieldError(`${PREFIX}${name}.nanos`, 'integer overflow')
  return wholeOf(fields.get('seconds')) * 1_000_000_000n + nanos
}

const MOST_NANOS = 2n ** 63n - 1n
const clamp = (nanos: bigint): bigint => (nanos > MOST_NANOS ? MOST_NANOS : nanos < -MOST_NANOS - 1n ? -MOST_NANOS - 1n : nanos)

/** A value as google.protobuf.Value holds it: all numbers are doubles. */
const jsonValue = (value: Value): Value => fromJson(toJson(value))

function fromJson(json: Json | undefined): Value {
  if (json === undefined || json === null || typeof json !== 'object') return json ?? null
  if (Array.isArray(json)) return json.map(fromJson)
  return CelMap.of(Object.entries(json).map(([key, item]) => [key, fromJson(item)]))
}

const SECONDS = { seconds: INT, nanos: INT }
const STRUCT = mapOf(STRING, DYN)
const LIST = listOf(DYN)
const VALUES = {
  null_value: INT,
  number_value: DOUBLE,
  string_value: STRING,
  bool_value: BOOL,
  struct_value: STRUCT,
  list_value: LIST,
}

const MESSAGES: readonly ObjectConstructor[] = [
  wrapper('Int64Value', INT, 0n),
  wrapper('Int32Value', INT, 0n, int32),
  wrapper('UInt64Value', UINT, new Uint(0n)),
  wrapper('UInt32Value', UINT, new Uint(0n), uint32),
  wrapper('DoubleValue', DOUBLE, 0),
  wrapper('FloatValue', DOUBLE, 0, (value) => (typeof value === 'number' ? Math.fround(value) : value)),
  wrapper('BoolValue', BOOL, false),
  wrapper('StringValue', STRING, ''),
  wrapper('BytesValue', BYTES, new Uint8Array()),
  message('Duration', SECONDS, DURATION, (fields) => new Duration(clamp(nanosOf('Duration', fields)))),
  message('Timestamp', SECONDS, TIMESTAMP, (fields) => checkedTimestamp(nanosOf('Timestamp', fields))),
  message('Struct', { fields: STRUCT }, STRUCT, (fields) => jsonValue(fields.get('fields') ?? CelMap.of([]))),
  message('ListValue', { values: LIST }, LIST, (fields) => {
    const list = jsonValue(fields.get('values') ?? [])
    return isList(list) ? list : []
  }),
  // Of several fields the last one counts.
  message('Value', VALUES, DYN, (fields) => {
    const [name, value] = [...fields].at(-1) ?? []
    return value === undefined || name === 'null_value' ? null : jsonValue(value)
  }),
]

const BY_NAME: ReadonlyMap<string, ObjectConstructor> = new Map(MESSAGES.map((one) => [one.type.name, one]))

/** The well-known messages of protobuf, which every program can construct: wrappers, times, and JSON. */
export const wellKnownMessage = (name: string): ObjectConstructor | undefined => BY_NAME.get(name)
