import { goQuote } from '../../field-error.ts'
import { durationText } from '../../go/go-duration.ts'
import { asJson, type Json, type JsonObject, setOwn } from '../../object.ts'
import { goPrint } from '../../schema/go-print.ts'
import { GoValue } from '../../schema/go-value.ts'
import { JsonMap } from '../schema/json-map.ts'
import { formatTimestamp } from '../standard/time.ts'
import { toJson } from '../to-json.ts'
import {
  CelError,
  CelMap,
  Duration,
  isDecodedList,
  isList,
  isNativeStrings,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../values.ts'
import { PatchObject } from './patch-objects.ts'

/**
 * An apply configuration as JSON. Kubernetes converts structures, and of lists and maps those that are the value of a field: what else
 * JSON does not know becomes a {@link GoValue}. Throws `CelError` if the name of a type differs from the path of its value.
 */
export function configurationOf(value: Value): JsonObject {
  const faults: string[] = []
  checkNames(value, 'Object', faults)
  if (faults.length > 0) throw new CelError(`type mismatch: ${faults.join('\n')}`)
  return fieldValue(value) as JsonObject
}

/** An empty list that is the value of a field: a slice of Go without memory, which is written as null. */
export const NIL_LIST: Json = []

function checkNames(value: Value, wanted: string, faults: string[]): void {
  if (value instanceof PatchObject) {
    if (value.structType !== wanted)
      faults.push(
        `unexpected type name ${JSON.stringify(value.structType)}, expected ${JSON.stringify(wanted)}, which matches field name path from root Object type`,
      )
    for (const name of value.names()) checkNames(value.get(name) ?? null, `${wanted}.${name}`, faults)
  } else if (isList(value)) for (const item of value) checkNames(item, wanted, faults)
  else if (value instanceof CelMap) for (const [, item] of value.entries()) checkNames(item, wanted, faults)
}

/** The value of a structure's field. */
function fieldValue(value: Value): Json {
  if (value instanceof PatchObject) return members(value.names().map((name) => [name, fieldValue(value.get(name) ?? null)]))
  if (value instanceof JsonMap || (isList(value) && isDecodedList(value))) return decoded(value)
  if (isList(value)) return value.length === 0 ? NIL_LIST : value.map(nestedValue)
  if (!(value instanceof CelMap)) return nestedValue(value)
  return members([...value.entries()].map(([key, item]) => [nameOf(key), nestedValue(item)]))
}

function members(entries: readonly (readonly [string, Json])[]): JsonObject {
  const out: JsonObject = {}
  for (const [name, value] of entries) setOwn(out, name, value)
  return out
}

function nameOf(key: Value): string {
  if (typeof key === 'string') return key
  throw new CelError('a key of a map is no string')
}

/** A value in a list or a map. */
function nestedValue(value: Value): Json {
  if (value instanceof PatchObject) return fieldValue(value)
  if (value instanceof Optional) return value.value === undefined ? null : nestedValue(value.value)
  if (value instanceof TypeValue) return value.name
  const foreign = goValue(value)
  return foreign === undefined ? decoded(value) : asJson(foreign)
}

/** A value that was JSON, or a scalar of JSON. */
function decoded(value: Value): Json {
  if (isList(value)) return value.map(decoded)
  if (value instanceof CelMap) return members([...value.entries()].map(([key, item]) => [nameOf(key), decoded(item)]))
  if (typeof value !== 'bigint') return toJson(value)
  const near = Number(value)
  return Number.isSafeInteger(near) ? near : value
}

/** The value of Go that an expression's value is; undefined: it is JSON. */
function goValue(value: Value): GoValue | undefined {
  if (value === null) return new GoValue('structpb.NullValue', 'NULL_VALUE', '0')
  if (value instanceof Uint) return new GoValue('uint64', `${value.value}`, hex(value.value))
  if (value instanceof Uint8Array) return new GoValue('[]uint8', `[${value.join(' ')}]`, `[]uint8{${[...value].map(hex).join(', ')}}`)
  if (value instanceof Duration) return new GoValue('time.Duration', durationText(value.nanos), `${value.nanos}`)
  if (value instanceof Timestamp) return new GoValue('time.Time', timePrint(value), timeSyntax(value))
  if (isList(value)) return isDecodedList(value) ? undefined : goList(value)
  return value instanceof CelMap && !(value instanceof JsonMap) ? goMap(value) : undefined
}

const hex = (n: bigint | number): string => `0x${n.toString(16)}`

const timePrint = ({ nanos }: Timestamp): string => `${formatTimestamp(new Timestamp(nanos)).replace('T', ' ').replace('Z', '')} +0000 UTC`

function timeSyntax(t: Timestamp): string {
  const [year, month, ...rest] = formatTimestamp(new Timestamp(t.nanos)).split(/\D/).slice(0, 6).map(Number)
  const name = new Date(Date.UTC(2000, (month ?? 1) - 1)).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' })
  const nanos = ((t.nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  return `time.Date(${year}, time.${name}, ${rest.join(', ')}, ${nanos}, time.UTC)`
}

function goList(list: readonly Value[]): GoValue {
  const type = isNativeStrings(list) ? '[]string' : '[]ref.Val'
  return new GoValue(type, `[${list.map(printed).join(' ')}]`, `${type}{${list.map(syntax).join(', ')}}`)
}

function goMap(map: CelMap): GoValue {
  const entries = [...map.entries()]
  const shown = (separator: string, of: (value: Value) => string) =>
    entries
      .map(([key, value]) => `${of(key)}:${of(value)}`)
      .sort()
      .join(separator)
  const type = 'map[ref.Val]ref.Val'
  return new GoValue(type, `map[${shown(' ', printed)}]`, `${type}{${shown(', ', syntax)}}`)
}

/** A value that is still one of the expression, as Go's `%v` prints it. */
function printed(value: Value): string {
  if (value === null) return '0'
  if (isList(value)) return `[${value.map(printed).join(', ')}]`
  if (value instanceof CelMap) return `{${[...value.entries()].map(([key, item]) => `${printed(key)}: ${printed(item)}`).join(', ')}}`
  return goValue(value)?.print ?? goPrint(nestedValue(value))
}

/** The same for `%#v`. Go writes the address of a list or map. */
function syntax(value: Value): string {
  if (isList(value)) return '(*types.baseList)(0xc000000000)'
  if (value instanceof CelMap) return '(*types.baseMap)(0xc000000000)'
  return goValue(value)?.syntax ?? (typeof value === 'string' ? goQuote(value) : goPrint(nestedValue(value)))
}
