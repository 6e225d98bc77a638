import { type Json, type JsonObject, setOwn } from '../object.ts'
import { formatDuration, formatTimestamp } from './standard/time.ts'
import { CelError, CelMap, Duration, isList, isStruct, Optional, Timestamp, TypeValue, typeName, Uint, type Value } from './values.ts'

/**
 * A value as JSON, in the form of google.protobuf.Value: bytes in base64; times, durations and integers beyond 2^53 as text. Throws
 * `CelError` in Kubernetes' words.
 */
export function toJson(value: Value): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'bigint') return whole(value)
  if (typeof value === 'number') return finite(value)
  if (value instanceof Uint) return whole(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Timestamp) return formatTimestamp(new Timestamp(value.nanos))
  if (value instanceof Duration) return formatDuration(value)
  if (value instanceof Optional) {
    if (value.value === undefined) throw new CelError('optional.none() dereference')
    return toJson(value.value)
  }
  if (isList(value)) return value.map(toJson)
  if (value instanceof CelMap) return object(value.entries())
  if (isStruct(value)) return object(value.names().map((n) => [n, value.get(n) ?? null] as const))
  if (value instanceof TypeValue) throw new CelError("type conversion not supported for 'type'")
  throw new CelError(`type conversion error from '${goName(typeName(value))}' to '*structpb.Value'`)
}

function whole(n: bigint): number | string {
  const near = Number(n)
  return Number.isSafeInteger(near) ? near : String(n)
}

function finite(n: number): number {
  if (Number.isFinite(n)) return n
  const word = Number.isNaN(n) ? 'NaN' : n > 0 ? '+Inf' : '-Inf'
  throw new CelError(
    `json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid ${word} value`,
  )
}

/** Of the types of libraries, Kubernetes names Go's: `Quantity`, `IP`; of those of the authorizer CEL's. */
function goName(type: string): string {
  const name = /^(?:kubernetes|net)\.([^.]+)$/.exec(type)?.[1]
  return name === 'NamedFormat' ? 'Format' : (name ?? type)
}

function object(entries: Iterable<readonly [Value, Value]>): JsonObject {
  const out: JsonObject = {}
  for (const [key, value] of entries) {
    if (typeof key === 'boolean') throw new CelError("type conversion error from bool to 'string'")
    if (typeof key !== 'string') throw new CelError(`unsupported type conversion from '${typeName(key)}' to string`)
    setOwn(out, key, toJson(value))
  }
  return out
}
