import { CelError, CelMap, isKey, isList, isStruct, Optional, typeName, Uint, type Value } from './values.ts'

/** Values without fields do not have this one. */
export function hasField(of: Value, field: string): boolean {
  if (of instanceof CelMap) return of.has(field)
  if (of instanceof Optional) return of.value !== undefined && hasField(of.value, field)
  if (of !== null && isStruct(of)) return of.get(field) !== undefined
  if (isList(of)) throw wrongIndex(field)
  return false
}

const wrongIndex = (key: Value) => new CelError(`unsupported index type '${typeName(key)}' in list`)

/** `of.field` */
export function select(of: Value, field: string): Value {
  if (of instanceof CelMap) {
    const value = of.get(field)
    if (value === undefined && !of.has(field)) throw noSuchKey(field)
    return value as Value
  }
  if (of instanceof Optional) return selectThrough(of, field)
  if (of !== null && isStruct(of)) {
    const value = of.get(field)
    if (value === undefined) throw noSuchKey(field)
    return value
  }
  throw isList(of) ? wrongIndex(field) : noSuchKey(field)
}

/** The list index of a value. */
function position(key: Value): number {
  if (typeof key === 'bigint') return Number(key)
  if (key instanceof Uint) return Number(key.value)
  if (typeof key !== 'number') throw wrongIndex(key)
  if (!Number.isInteger(key)) throw new CelError(`unsupported index value ${key} in list`)
  return key
}

/** `of[key]` */
export function index(of: Value, key: Value): Value {
  if (isList(of)) {
    const i = position(key)
    if (i < 0 || i >= of.length) throw new CelError(`index out of bounds: ${typeof key === 'bigint' ? key : i}`)
    return of[i] as Value
  }
  if (of instanceof CelMap) {
    if (!of.has(key)) {
      if (!isKey(key) && typeof key !== 'number') throw new CelError(`unsupported key type: ${typeName(key)}`)
      throw noSuchKey(key)
    }
    return of.get(key) as Value
  }
  if (of !== null && isStruct(of) && typeof key === 'string') return select(of, key)
  throw noSuchKey(key)
}

/** `of.?field` and `of[?key]`: none of a value that has no fields. */
export function optionalSelect(of: Value, key: Value): Optional {
  const inner = of instanceof Optional ? of.value : of
  return inner === undefined ? Optional.none : (present(inner, key) ?? Optional.none)
}

/** `of.field` and `of[key]` of an optional value, which must have fields. */
export function selectThrough({ value }: Optional, key: Value): Optional {
  if (value === undefined) return Optional.none
  const found = present(value, key)
  if (found === undefined) throw noSuchKey(key)
  return found
}

/** The field, or none of it; undefined of a value without fields. */
function present(inner: Value, key: Value): Optional | undefined {
  if (isList(inner)) {
    const i = position(key)
    return i >= 0 && i < inner.length ? new Optional(inner[i] as Value) : Optional.none
  }
  if (inner instanceof CelMap) return inner.has(key) ? new Optional(inner.get(key)) : Optional.none
  if (inner !== null && isStruct(inner) && typeof key === 'string') {
    const value = inner.get(key)
    return value === undefined ? Optional.none : new Optional(value)
  }
  return undefined
}

const noSuchKey = (key: Value) => new CelError(`no such key: ${showKey(key)}`)
/** A key in error messages. */
export const showKey = (v: Value) => (v instanceof Uint ? String(v.value) : String(v))
