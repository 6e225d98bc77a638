import { withoutTrailing } from '../../../base/without-trailing.ts'
import type { Library } from '../environment.ts'
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  param,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from '../types.ts'
import { CelError, type CelMap, codePointsOf, type Duration, type Timestamp, TypeValue, typeName, Uint, type Value } from '../values.ts'
import { member, overload } from './declare.ts'
import { checkedInt, checkedTimestamp, checkedUint, doubleToInt, doubleToUint } from './numbers.ts'
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time.ts'

const A = param('A')
const B = param('B')

const failed = (from: string, to: string) => new CelError(`type conversion error from '${from}' to '${to}'`)

function parseInteger(text: string, to: 'int' | 'uint'): bigint {
  if (!(to === 'int' ? /^[+-]?\d+$/ : /^\+?\d+$/).test(text)) throw failed('string', to)
  const value = BigInt(text.replace(/^\+/, ''))
  if (to === 'int' ? value < -(2n ** 63n) || value >= 2n ** 63n : value >= 2n ** 64n) throw failed('string', to)
  return value
}

function parseDouble(text: string): number {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (/^[+-]?nan$/i.test(text)) return Number.NaN
  if (!/^[+-]?(\d+(?:\.\d*)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)$/.test(text)) throw failed('string', 'double')
  return Number(text)
}

function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false
  throw failed('string', 'bool')
}

/** A double as Go's `strconv.FormatFloat(f, 'g', -1, 64)`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = value.toExponential()
  const exponent = Number(text.slice(text.indexOf('e') + 1))
  if (exponent >= -4 && exponent < 6) return plainDecimal(value, exponent)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

const plainDecimal = (value: number, exponent: number) => (exponent < -6 ? withoutTrailing(value.toFixed(20), '0') : String(value))

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

/** The value of `type(x)`. */
const typeValue = (v: Value) => new TypeValue(typeName(v))

const TYPE_NAMES: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  null_type: NULL,
  type: TYPE,
  'google.protobuf.Timestamp': TIMESTAMP,
  'google.protobuf.Duration': DURATION,
}

const converts =
  <T>(parse: (literal: T) => Value) =>
  (literal: T) => {
    try {
      parse(literal)
      return true
    } catch {
      return false
    }
  }

const atSeconds = (seconds: bigint) => checkedTimestamp(seconds * 1_000_000_000n)

/** It is declared, and always fails. */
function noDuration(): Value {
  throw new CelError("type conversion error from 'int' to 'google.protobuf.Duration'")
}

/** Conversions between the language's own types, `type`, `dyn`, `size`. */
export const CONVERSIONS: Library = {
  folded: ['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'uint'],
  literalChecks: {
    duration: { arg: 0, check: converts(parseDuration), checkInt: converts(noDuration), complaint: 'invalid duration argument' },
    timestamp: { arg: 0, check: converts(parseTimestamp), checkInt: converts(atSeconds), complaint: 'invalid timestamp argument' },
  },
  constants: Object.fromEntries(
    Object.entries(TYPE_NAMES).map(([name, of]) => [name, { type: { kind: 'type', of } as const, value: new TypeValue(name) }]),
  ),
  functions: {
    type: [overload('type', [A], { kind: 'type', of: A }, typeValue)],
    dyn: [overload('to_dyn', [A], DYN, (v: Value) => v)],
    size: [
      ...[overload, member].flatMap((declare, i) => {
        const id = i === 0 ? 'size' : 'size_member'
        return [
          declare(`${id}_string`, [STRING], INT, (s: string) => BigInt(codePointsOf(s))),
          declare(`${id}_bytes`, [BYTES], INT, (b: Uint8Array) => BigInt(b.length)),
          declare(`${id}_list`, [listOf(A)], INT, (l: readonly Value[]) => BigInt(l.length)),
          declare(`${id}_map`, [mapOf(A, B)], INT, (m: CelMap) => BigInt(m.size)),
        ]
      }),
    ],
    bool: [overload('bool_bool', [BOOL], BOOL, (b: boolean) => b), overload('string_to_bool', [STRING], BOOL, parseBool)],
    bytes: [
      overload('bytes_bytes', [BYTES], BYTES, (b: Uint8Array) => b),
      overload('string_to_bytes', [STRING], BYTES, (s: string) => Uint8Array.from(Buffer.from(s))),
    ],
    double: [
      overload('double_double', [DOUBLE], DOUBLE, (d: number) => d),
      overload('int64_to_double', [INT], DOUBLE, (i: bigint) => Number(i)),
      overload('uint64_to_double', [UINT], DOUBLE, (u: Uint) => Number(u.value)),
      overload('string_to_double', [STRING], DOUBLE, parseDouble),
    ],
    int: [
      overload('int64_int64', [INT], INT, (i: bigint) => i),
      overload('uint64_to_int64', [UINT], INT, (u: Uint) => checkedInt(u.value)),
      overload('double_to_int64', [DOUBLE], INT, doubleToInt),
      overload('string_to_int64', [STRING], INT, (s: string) => parseInteger(s, 'int')),
      overload('timestamp_to_int64', [TIMESTAMP], INT, (t: Timestamp) => floorSeconds(t.nanos)),
      overload('duration_to_int64', [DURATION], INT, (d: Duration) => d.nanos),
    ],
    uint: [
      overload('uint64_uint64', [UINT], UINT, (u: Uint) => u),
      overload('int64_to_uint64', [INT], UINT, (i: bigint) => new Uint(checkedUint(i))),
      overload('double_to_uint64', [DOUBLE], UINT, (d: number) => new Uint(doubleToUint(d))),
      overload('string_to_uint64', [STRING], UINT, (s: string) => new Uint(parseInteger(s, 'uint'))),
    ],
    string: [
      overload('string_string', [STRING], STRING, (s: string) => s),
      overload('bool_to_string', [BOOL], STRING, (b: boolean) => String(b)),
      overload('int64_to_string', [INT], STRING, (i: bigint) => String(i)),
      overload('uint64_to_string', [UINT], STRING, (u: Uint) => String(u.value)),
      overload('double_to_string', [DOUBLE], STRING, formatDouble),
      overload('bytes_to_string', [BYTES], STRING, decodeUtf8),
      overload('timestamp_to_string', [TIMESTAMP], STRING, (t: Timestamp) => formatTimestamp(t)),
      overload('duration_to_string', [DURATION], STRING, (d: Duration) => formatDuration(d)),
    ],
    timestamp: [
      overload('timestamp_timestamp', [TIMESTAMP], TIMESTAMP, (t: Timestamp) => t),
      overload('string_to_timestamp', [STRING], TIMESTAMP, parseTimestamp),
      overload('int64_to_timestamp', [INT], TIMESTAMP, atSeconds),
    ],
    duration: [
      overload('duration_duration', [DURATION], DURATION, (d: Duration) => d),
      overload('string_to_duration', [STRING], DURATION, parseDuration),
      overload('int64_to_duration', [INT], DURATION, noDuration),
    ],
  },
}

const floorSeconds = (nanos: bigint) =>
  nanos >= 0n || nanos % 1_000_000_000n === 0n ? nanos / 1_000_000_000n : nanos / 1_000_000_000n - 1n
