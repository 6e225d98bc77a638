import type { Library } from '../environment.ts'
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, INT, listOf, mapOf, param, STRING, TIMESTAMP, UINT } from '../types.ts'
import {
  CelError,
  type CelMap,
  compareNumbers,
  concatLists,
  Duration,
  equals,
  isNumeric,
  type Struct,
  Timestamp,
  Uint,
  type Value,
} from '../values.ts'
import { overload } from './declare.ts'
import { checkedDuration, checkedInt, checkedTimestamp, checkedUint } from './numbers.ts'

const A = param('A')
const B = param('B')

const divide = (a: bigint, b: bigint) => {
  if (b === 0n) throw new CelError('division by zero')
  return a / b
}
const modulo = (a: bigint, b: bigint) => {
  if (b === 0n) throw new CelError('modulus by zero')
  return a % b
}
const uint = (f: (a: bigint, b: bigint) => bigint) => (a: Uint, b: Uint) => new Uint(checkedUint(f(a.value, b.value)))
const int = (f: (a: bigint, b: bigint) => bigint) => (a: bigint, b: bigint) => checkedInt(f(a, b))

/** Negative, zero or positive; undefined if one is NaN. */
export function order(a: Value, b: Value): number | undefined {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b)
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : comparePoints(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  if ((a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration))
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0
  throw new CelError('no such overload')
}

/** Compares by code point, as Go compares UTF-8 (JavaScript compares UTF-16 units). */
function comparePoints(a: string, b: string): number {
  const hasSurrogates = /[\ud800-\udfff]/
  if (!hasSurrogates.test(a) && !hasSurrogates.test(b)) return a < b ? -1 : 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** What can be compared. */
const ORDERED: readonly (readonly [CelType, CelType])[] = [
  [BOOL, BOOL],
  [INT, INT],
  [INT, DOUBLE],
  [INT, UINT],
  [UINT, UINT],
  [UINT, DOUBLE],
  [UINT, INT],
  [DOUBLE, DOUBLE],
  [DOUBLE, INT],
  [DOUBLE, UINT],
  [STRING, STRING],
  [BYTES, BYTES],
  [TIMESTAMP, TIMESTAMP],
  [DURATION, DURATION],
]

const relation = (name: string, holds: (order: number) => boolean) =>
  ORDERED.map(([a, b]) =>
    overload(`${name}_${a.kind}_${b.kind}`, [a, b], BOOL, (x: Value, y: Value) => {
      const o = order(x, y)
      return o !== undefined && holds(o)
    }),
  )

const span = (id: string, a: CelType, b: CelType, result: CelType, f: (x: bigint, y: bigint, offsetMinutes: number) => Value) =>
  overload(id, [a, b], result, (x: Timestamp | Duration, y: Timestamp | Duration) => f(x.nanos, y.nanos, offsetOf(x) || offsetOf(y)))

/** A time keeps its zone. */
const offsetOf = (x: Timestamp | Duration): number => ('offsetMinutes' in x ? x.offsetMinutes : 0)

/**
 * The operators of the language, with their overloads in cel-go's order: the first that fits binds what is not known of the types. The
 * planner implements `&&`, `||`, `?:`, `==`, indexing and selection; here they have their types.
 */
export const OPERATORS: Library = {
  functions: {
    '_&&_': [overload('logical_and', [BOOL, BOOL], BOOL, () => false)],
    '_||_': [overload('logical_or', [BOOL, BOOL], BOOL, () => false)],
    '_?_:_': [overload('conditional', [BOOL, A, A], A, () => false)],
    '@not_strictly_false': [overload('not_strictly_false', [BOOL], BOOL, () => true)],
    '_==_': [overload('equals', [A, A], BOOL, equals)],
    '_!=_': [overload('not_equals', [A, A], BOOL, (a: Value, b: Value) => !equals(a, b))],
    '!_': [overload('logical_not', [BOOL], BOOL, (a: boolean) => !a)],
    '-_': [
      overload('negate_double', [DOUBLE], DOUBLE, (a: number) => -a),
      overload('negate_int64', [INT], INT, (a: bigint) => checkedInt(-a)),
    ],
    '_[_]': [overload('index_list', [listOf(A), INT], A, () => null), overload('index_map', [mapOf(A, B), A], B, () => null)],
    '@in': [
      overload('in_list', [A, listOf(A)], BOOL, (x: Value, list: readonly Value[]) => list.some((v) => equals(v, x))),
      overload('in_map', [A, mapOf(A, B)], BOOL, (x: Value, map: CelMap | Struct) =>
        'has' in map ? map.has(x) : typeof x === 'string' && map.get(x) !== undefined,
      ),
    ],
    '_+_': [
      overload('add_bytes', [BYTES, BYTES], BYTES, (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b])),
      overload('add_double', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a + b),
      span('add_duration_duration', DURATION, DURATION, DURATION, (x, y) => checkedDuration(x + y)),
      span('add_duration_timestamp', DURATION, TIMESTAMP, TIMESTAMP, (x, y, offset) => checkedTimestamp(x + y, offset)),
      span('add_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP, (x, y, offset) => checkedTimestamp(x + y, offset)),
      overload(
        'add_int64',
        [INT, INT],
        INT,
        int((a, b) => a + b),
      ),
      overload('add_list', [listOf(A), listOf(A)], listOf(A), (a: readonly Value[], b: readonly Value[]) => concatLists(a, b)),
      overload('add_string', [STRING, STRING], STRING, (a: string, b: string) => a + b),
      overload(
        'add_uint64',
        [UINT, UINT],
        UINT,
        uint((a, b) => a + b),
      ),
    ],
    '_-_': [
      overload('subtract_double', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a - b),
      span('subtract_duration_duration', DURATION, DURATION, DURATION, (x, y) => checkedDuration(x - y)),
      overload(
        'subtract_int64',
        [INT, INT],
        INT,
        int((a, b) => a - b),
      ),
      span('subtract_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP, (x, y, offset) => checkedTimestamp(x - y, offset)),
      span('subtract_timestamp_timestamp', TIMESTAMP, TIMESTAMP, DURATION, (x, y) => checkedDuration(x - y)),
      overload(
        'subtract_uint64',
        [UINT, UINT],
        UINT,
        uint((a, b) => a - b),
      ),
    ],
    '_*_': [
      overload('multiply_double', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a * b),
      overload(
        'multiply_int64',
        [INT, INT],
        INT,
        int((a, b) => a * b),
      ),
      overload(
        'multiply_uint64',
        [UINT, UINT],
        UINT,
        uint((a, b) => a * b),
      ),
    ],
    '_/_': [
      overload('divide_double', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a / b),
      overload('divide_int64', [INT, INT], INT, int(divide)),
      overload('divide_uint64', [UINT, UINT], UINT, uint(divide)),
    ],
    '_%_': [overload('modulo_int64', [INT, INT], INT, int(modulo)), overload('modulo_uint64', [UINT, UINT], UINT, uint(modulo))],
    '_<_': relation('less', (o) => o < 0),
    '_<=_': relation('less_equals', (o) => o <= 0),
    '_>_': relation('greater', (o) => o > 0),
    '_>=_': relation('greater_equals', (o) => o >= 0),
    '@map_insert': [
      overload('map_insert_key_value', [mapOf(A, B), A, B], mapOf(A, B), (map: CelMap, key: Value, value: Value) =>
        insert(map, key, value),
      ),
      overload('map_insert_map', [mapOf(A, B), mapOf(A, B)], mapOf(A, B), (map: CelMap, more: CelMap) => {
        let out = map
        for (const [k, v] of more.entries()) out = insert(out, k, v)
        return out
      }),
    ],
  },
}

function insert(map: CelMap, key: Value, value: Value): CelMap {
  if (map.has(key)) throw new CelError(`insert failed: key ${String(key)} already exists`)
  if (typeof key !== 'string' && typeof key !== 'bigint' && typeof key !== 'boolean' && !(key instanceof Uint))
    throw new CelError('unsupported key type')
  return map.with(key, value)
}
