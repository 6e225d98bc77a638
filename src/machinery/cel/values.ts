/** An unsigned integer; plain `bigint` is CEL's int, `number` its double. */
export class Uint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

/** A point in time: nanoseconds since the Unix epoch. */
export class Timestamp {
  readonly nanos: bigint
  /** The zone in which it was written, and is shown again: minutes east of Greenwich. */
  readonly offsetMinutes: number
  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos
    this.offsetMinutes = offsetMinutes
  }
}

/** A span in nanoseconds. */
export class Duration {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A type as a value: `type(x)`, `int`. */
export class TypeValue {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export class Optional {
  readonly value: Value | undefined
  constructor(value: Value | undefined) {
    this.value = value
  }
  static readonly none = new Optional(undefined)
}

/** A value of a library's own type. */
export interface Opaque {
  readonly celType: string
  equals(other: Value): boolean
  /** For error messages. */
  toString(): string
}

/** A structure with named fields, which are read lazily. */
export interface Struct {
  readonly structType: string
  /** Undefined if the field does not exist or is not set. */
  get(field: string): Value | undefined
  names(): readonly string[]
  readonly equalsStruct: (other: Struct) => boolean
}

export type Key = string | bigint | boolean | Uint

/** A map. Keys are compared as in CEL: `1`, `1u` and `1.0` are one key. */
export class CelMap {
  readonly #entries = new Map<string | bigint | boolean, readonly [Key, Value]>()

  static of(entries: Iterable<readonly [Key, Value]>): CelMap {
    const map = new CelMap()
    for (const [k, v] of entries) map.#entries.set(plain(k), [k, v])
    return map
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Value): Value | undefined {
    const k = keyOf(key)
    return k === undefined ? undefined : this.#entries.get(k)?.[1]
  }

  has(key: Value): boolean {
    const k = keyOf(key)
    return k !== undefined && this.#entries.has(k)
  }

  keys(): Key[] {
    return [...this.#entries.values()].map(([k]) => k)
  }

  entries(): Iterable<readonly [Key, Value]> {
    return this.#entries.values()
  }

  /** Adds an entry in place: only for a map that is not shared yet. */
  put(key: Key, value: Value): void {
    this.#entries.set(plain(key), [key, value])
  }

  /** Removes an entry in place: only from a map that is not shared yet. */
  delete(key: Key): void {
    this.#entries.delete(plain(key))
  }

  /** A copy with one more entry. */
  with(key: Key, value: Value): CelMap {
    const copy = CelMap.of(this.#entries.values())
    copy.#entries.set(plain(key), [key, value])
    return copy
  }
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | CelMap
  | readonly Value[]
  | Struct
  | Opaque

const plain = (key: Key): string | bigint | boolean => (key instanceof Uint ? key.value : key)

/** The normalized key of a value; undefined if it cannot be a key. */
function keyOf(value: Value): string | bigint | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean') return value
  if (value instanceof Uint) return value.value
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  return undefined
}

export const isKey = (value: Value): value is Key =>
  typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean' || value instanceof Uint

/** How special lists are compared and joined, if not element by element. */
export interface ListSemantics {
  readonly equals: (other: readonly Value[]) => boolean
  readonly concat: (other: readonly Value[]) => readonly Value[]
}

const SEMANTICS = new WeakMap<readonly Value[], ListSemantics>()

/** Marks a list as a set or a map by keys; `==` and `+` with it on the left follow the semantics. */
export function giveListSemantics(list: readonly Value[], semantics: ListSemantics): readonly Value[] {
  SEMANTICS.set(list, semantics)
  return list
}

const NATIVE = new WeakSet<readonly Value[]>()

/** Marks a list that cel-go holds as a Go slice of strings: claim mappings, which require lists of CEL values, reject it. */
export function nativeStrings(list: string[]): readonly string[] {
  NATIVE.add(list)
  return list
}

export const isNativeStrings = (list: readonly Value[]): boolean => NATIVE.has(list)

const DECODED = new WeakSet<readonly Value[]>()

/** Marks a list that was decoded from JSON, or begins with one: in Kubernetes it is JSON still, where an expression's own list is not. */
export function decodedList(list: readonly Value[]): readonly Value[] {
  DECODED.add(list)
  return list
}

export const isDecodedList = (list: readonly Value[]): boolean => DECODED.has(list)

/** `+` of lists. */
export function concatLists(a: readonly Value[], b: readonly Value[]): readonly Value[] {
  const list = SEMANTICS.get(a)?.concat(b) ?? [...a, ...b]
  return isDecodedList(a) ? decodedList(list) : list
}

function equalLists(a: readonly Value[], b: readonly Value[]): boolean {
  const special = SEMANTICS.get(a)
  return special === undefined ? a.length === b.length && a.every((v, i) => equals(v, b[i] ?? null)) : special.equals(b)
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
export const isStruct = (value: Value): value is Struct => value !== null && typeof value === 'object' && 'structType' in value
export const isOpaque = (value: Value): value is Opaque => value !== null && typeof value === 'object' && 'celType' in value

/** An evaluation error; `message` is cel-go's. */
export class CelError extends Error {
  override readonly name = 'CelError'
}

/** The name of a value's type. */
const GO_TYPES: Readonly<Record<string, string>> = {
  null_type: 'types.Null',
  type: '*types.Type',
  optional_type: '*types.Optional',
  'google.protobuf.Timestamp': 'types.Timestamp',
  'google.protobuf.Duration': 'types.Duration',
}

/** cel-go's name of the Go type of a value; some of its errors contain it. */
export function goTypeOf(value: Value): string {
  const name = typeName(value)
  return GO_TYPES[name] ?? (name.includes('.') ? name : `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`)
}

export function typeName(value: Value): string {
  if (value === null) return 'null_type'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'string':
      return 'string'
  }
  if (value instanceof Uint) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (isList(value)) return 'list'
  if (value instanceof CelMap) return 'map'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof TypeValue) return 'type'
  if (value instanceof Optional) return 'optional_type'
  if (isStruct(value)) return value.structType
  return value.celType
}

/** The length of the last long text: rules read the size of the same text repeatedly. */
let counted = { text: '', points: 0 }

/** The number of code points of a text. */
export function codePointsOf(text: string): number {
  if (text.length < 1000) return countPoints(text)
  if (text !== counted.text) counted = { text, points: countPoints(text) }
  return counted.points
}

function countPoints(text: string): number {
  let n = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit < 0xdc00) {
      n--
      i++
    }
  }
  return n
}

type Numeric = bigint | number | Uint
export const isNumeric = (v: Value): v is Numeric => typeof v === 'bigint' || typeof v === 'number' || v instanceof Uint

/** Compares numbers; undefined if one is NaN. Against a double, integers are rounded to doubles first. */
export function compareNumbers(a: Numeric, b: Numeric): -1 | 0 | 1 | undefined {
  const whole = (v: Numeric) => (v instanceof Uint ? v.value : v)
  const double = typeof a === 'number' || typeof b === 'number'
  const x = double ? Number(whole(a)) : whole(a)
  const y = double ? Number(whole(b)) : whole(b)
  return x < y ? -1 : x > y ? 1 : x === y ? 0 : undefined
}

/**
 * A text that is equal for two values exactly if they are equal. Undefined for values with their own comparison. Makes sets of values fast,
 * and comparisons of large lists.
 */
export function identity(v: Value): string | undefined {
  if (v === null) return 'null'
  switch (typeof v) {
    case 'string':
      return JSON.stringify(v)
    case 'boolean':
      return String(v)
    case 'bigint':
      return `${v}`
    case 'number':
      // NaN equals nothing; beyond 2^53, integers and doubles are compared after rounding.
      return Math.abs(v) <= Number.MAX_SAFE_INTEGER ? `${v + 0}` : undefined
  }
  if (v instanceof Uint) return `${v.value}`
  if (isList(v) && !SEMANTICS.has(v)) {
    const parts = v.map(identity)
    return parts.includes(undefined) ? undefined : `[${parts.join()}]`
  }
  return undefined
}

/** The identities of all values; undefined if one has none. */
export function identities(values: readonly Value[]): ReadonlySet<string> | undefined {
  const out = new Set<string>()
  for (const v of values) {
    const id = identity(v)
    if (id === undefined) return undefined
    out.add(id)
  }
  return out
}

/** True if every value of `some` is in `all`. */
export function containsAll(all: readonly Value[], some: readonly Value[]): boolean {
  const [a, b] = some.length * all.length > 100 ? [identities(all), identities(some)] : []
  if (a !== undefined && b !== undefined) return b.isSubsetOf(a)
  return some.every((x) => all.some((y) => equals(y, x)))
}

/** True if at least one value is in both. */
export function intersects(a: readonly Value[], b: readonly Value[]): boolean {
  const [x, y] = a.length * b.length > 100 ? [identities(a), identities(b)] : []
  if (x !== undefined && y !== undefined) return !x.isDisjointFrom(y)
  return a.some((v) => b.some((w) => equals(w, v)))
}

/** Each value once, in order of first appearance. */
export function distinctValues(values: readonly Value[]): Value[] {
  const seen = new Set<string>()
  const odd: Value[] = []
  const out: Value[] = []
  for (const v of values) {
    const id = identity(v)
    if (id === undefined ? odd.some((x) => equals(x, v)) : seen.has(id)) continue
    if (id === undefined) odd.push(v)
    else seen.add(id)
    out.push(v)
  }
  return out
}

/** CEL's `==`: across numbers by value, across other types never. */
export function equals(a: Value, b: Value): boolean {
  if (a === b) return true
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (isList(a)) return isList(b) && equalLists(a, b)
  if (a instanceof CelMap)
    return b instanceof CelMap && a.size === b.size && [...a.entries()].every(([k, v]) => b.has(k) && equals(v, b.get(k) ?? null))
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false
    return a.value === undefined || b.value === undefined ? a.value === b.value : equals(a.value, b.value)
  }
  if (isStruct(a)) return isStruct(b) && a.equalsStruct(b)
  return isOpaque(a) && a.equals(b)
}
