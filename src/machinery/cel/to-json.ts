import { type Json, type JsonObject, setOwn } from '../object.ts'
import { formatDuration, formatTimestamp } from './standard/time.ts'
import { CelError, CelMap, Duration, isList, isStruct, Optional, Timestamp, typeName, Uint, type Value } from './values.ts'

/** A value as JSON: bytes in base64, times and durations as text; absent optionals are left out of maps and lists. Throws `CelError`. */
export function toJson(value: Value): Json {
  const json = convert(value)
  if (json === undefined) throw new CelError('an absent optional is no value')
  return json
}

function convert(value: Value): Json | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'bigint') return whole(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new CelError(`${value} is no JSON number`)
    return value
  }
  if (value instanceof Uint) return whole(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  if (value instanceof Optional) return value.value === undefined ? undefined : convert(value.value)
  if (isList(value)) return value.map(convert).filter((v) => v !== undefined)
  if (value instanceof CelMap) return object(value.entries())
  if (isStruct(value)) return object(value.names().map((n) => [n, value.get(n) ?? null] as const))
  throw new CelError(`unsupported conversion of ${typeName(value)} to JSON`)
}

const whole = (n: bigint): number | bigint => (n >= BigInt(Number.MIN_SAFE_INTEGER) && n <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n)

function object(entries: Iterable<readonly [Value, Value]>): JsonObject {
  const out: JsonObject = {}
  for (const [key, value] of entries) {
    if (typeof key !== 'string') throw new CelError(`unsupported key type ${typeName(key)} of a JSON object`)
    const json = convert(value)
    if (json !== undefined) setOwn(out, key, json)
  }
  return out
}
