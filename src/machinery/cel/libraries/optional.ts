import type { Library } from '../environment.ts'
import { BIND_MACRO, OPTIONAL_MACROS } from '../macros.ts'
import { member, overload } from '../standard/declare.ts'
import { BOOL, BYTES, INT, listOf, mapOf, optionalOf, param, STRING } from '../types.ts'
import { CelError, CelMap, Duration, isList, isStruct, Optional, Timestamp, TypeValue, Uint, type Value } from '../values.ts'

const A = param('A')
const B = param('B')

/** True if a value is its type's zero: `ofNonZeroValue` then yields none. */
function isZero(v: Value): boolean {
  if (v === null || v === false || v === 0n || v === 0 || v === '') return true
  if (v instanceof Uint) return v.value === 0n
  if (v instanceof Uint8Array || isList(v)) return v.length === 0
  if (v instanceof CelMap) return v.size === 0
  if (v instanceof Duration) return v.nanos === 0n
  if (v instanceof Timestamp) return v.nanos === -62_135_596_800n * 1_000_000_000n
  return typeof v === 'object' && isStruct(v) && v.names().every((n) => v.get(n) === undefined)
}

const value = (o: Optional): Value => {
  if (o.value === undefined) throw new CelError('optional.none() dereference')
  return o.value
}

/** Optional values (cel-go's `cel.OptionalTypes`): `?.`, `[?]`, `optional.of`, `orValue`, `optMap`. */
export const OPTIONALS: Library = {
  macros: OPTIONAL_MACROS,
  constants: { optional_type: { type: { kind: 'type', of: optionalOf(A) }, value: new TypeValue('optional_type') } },
  functions: {
    'optional.of': [overload('optional_of', [A], optionalOf(A), (v: Value) => new Optional(v))],
    'optional.ofNonZeroValue': [
      overload('optional_ofNonZeroValue', [A], optionalOf(A), (v: Value) => (isZero(v) ? Optional.none : new Optional(v))),
    ],
    'optional.none': [overload('optional_none', [], optionalOf(A), () => Optional.none)],
    value: [member('optional_value', [optionalOf(A)], A, value)],
    hasValue: [member('optional_hasValue', [optionalOf(A)], BOOL, (o: Optional) => o.value !== undefined)],
    or: [
      member('optional_or_optional', [optionalOf(A), optionalOf(A)], optionalOf(A), (a: Optional, b: Optional) =>
        a.value === undefined ? b : a,
      ),
    ],
    orValue: [member('optional_orValue_value', [optionalOf(A), A], A, (a: Optional, b: Value) => (a.value === undefined ? b : a.value))],
    'optional.unwrap': [overload('optional_unwrap', [listOf(optionalOf(A))], listOf(A), unwrap)],
    unwrapOpt: [member('optional_unwrapOpt', [listOf(optionalOf(A))], listOf(A), unwrap)],
    first: [
      member('list_first', [listOf(A)], optionalOf(A), (l: readonly Value[]) => (l.length === 0 ? Optional.none : new Optional(l[0]))),
    ],
    last: [
      member('list_last', [listOf(A)], optionalOf(A), (l: readonly Value[]) => (l.length === 0 ? Optional.none : new Optional(l.at(-1)))),
    ],
    '_[_]': [
      overload('optional_list_index_int', [optionalOf(listOf(A)), INT], optionalOf(A), () => null),
      overload('optional_map_index_value', [optionalOf(mapOf(A, B)), A], optionalOf(B), () => null),
    ],
    '_[?_]': [
      overload('list_optindex_optional_int', [listOf(A), INT], optionalOf(A), () => null),
      overload('optional_list_optindex_optional_int', [optionalOf(listOf(A)), INT], optionalOf(A), () => null),
      overload('map_optindex_optional_value', [mapOf(A, B), A], optionalOf(B), () => null),
      overload('optional_map_optindex_optional_value', [optionalOf(mapOf(A, B)), A], optionalOf(B), () => null),
    ],
  },
}

function unwrap(l: readonly Value[]): readonly Value[] {
  return l.flatMap((o) => (o instanceof Optional && o.value !== undefined ? [o.value] : []))
}

const base64 = (text: string): Uint8Array => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new CelError('illegal base64 data')
  return Uint8Array.from(Buffer.from(text, 'base64'))
}

/** cel-go's `ext.Encoders`. */
export const ENCODERS: Library = {
  functions: {
    'base64.encode': [overload('base64_encode_bytes', [BYTES], STRING, (b: Uint8Array) => Buffer.from(b).toString('base64'))],
    'base64.decode': [overload('base64_decode_string', [STRING], BYTES, base64)],
  },
}

/** cel-go's `ext.Bindings`: `cel.bind`. */
export const BINDINGS: Library = { macros: [BIND_MACRO] }
