import { asJson, asKubeObject, isObject, type Json, type JsonObject, type KubeObject, setOwn } from '../object.ts'

/**
 * Fields that a body contained as `[]` or `{}`. Decoded objects leave them out, as Go's encoder does; but during a request Go distinguishes
 * them from absent fields, and shows them in messages. This records them beside the object, for as long as it lives.
 */
const given = new WeakMap<object, Map<string, 'list' | 'map'>>()

/** Records that the body contained the field, empty. */
export function rememberEmpty(object: object, field: string, kind: 'list' | 'map'): void {
  const fields = given.get(object)
  if (fields === undefined) given.set(object, new Map([[field, kind]]))
  else fields.set(field, kind)
}

/** The field counts as absent from now on. */
export function forgetEmpty(object: object, field: string): void {
  given.get(object)?.delete(field)
}

/** `[]` or `{}` if the body contained the field so; undefined if it did not, or the object is a copy of the decoded one. */
export function givenEmpty(object: object | undefined, field: string): [] | Record<string, never> | undefined {
  const kind = object === undefined ? undefined : given.get(object)?.get(field)
  return kind === undefined ? undefined : kind === 'list' ? [] : {}
}

/** Whether a body gave any list or map in this value as empty, and nothing has filled it since. */
export function hasGivenEmpty(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  const members = value as Record<string, unknown>
  const empty = [...(given.get(value)?.keys() ?? [])]
  return empty.some((field) => !Object.hasOwn(value, field)) || Object.keys(value).some((name) => hasGivenEmpty(members[name]))
}

/** The value with those lists as members; the same value when there are none. */
export function withGivenLists(value: Json): Json {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const items = value.map(withGivenLists)
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  let copy: JsonObject | undefined
  const put = (name: string, member: Json) => {
    copy ??= { ...value }
    setOwn(copy, name, member)
  }
  for (const name of Object.keys(value)) {
    const member = value[name] ?? null
    const whole = withGivenLists(member)
    if (whole !== member) put(name, whole)
  }
  for (const [name, kind] of given.get(value) ?? []) if (kind === 'list' && !Object.hasOwn(value, name)) put(name, [])
  return copy ?? value
}

/** Copies the record of one object to another, and returns that. */
export function alsoEmpty<T extends object>(copy: T, original: object): T {
  const fields = given.get(original)
  if (fields !== undefined) given.set(copy, fields)
  const paths = emptied.get(original)
  if (paths !== undefined) emptied.set(copy, paths)
  return copy
}

/** A field that the body gave as `[]` or `{}`, and that is stored as null because it has no `omitempty`. */
export interface EmptiedField {
  readonly path: readonly (string | number)[]
  readonly kind: 'list' | 'map'
}

/** By the metadata of the decoded object, which stays the same while a request lives. */
const emptied = new WeakMap<object, readonly EmptiedField[]>()

/** Remembers the emptied fields of a decoded object by its metadata. */
export function rememberEmptied(metadata: object, fields: readonly EmptiedField[]): void {
  emptied.set(metadata, fields)
}

/**
 * The object as Go has it in memory while the request lives: with the empty lists and maps that it cannot store, and with empty managed
 * fields. The argument is not changed. `metadata` is that of the decoded object.
 */
export function asGiven(object: KubeObject, metadata: object): KubeObject {
  const fields = emptied.get(metadata) ?? []
  let result: Json = asJson(object)
  for (const { path, kind } of fields) result = replaceNull(result, path, kind === 'list' ? [] : {})
  if (givenEmpty(metadata, 'managedFields') !== undefined) {
    const whole = asKubeObject(result)
    return { ...whole, metadata: { ...whole.metadata, managedFields: [] } }
  }
  return asKubeObject(result)
}

/** A copy in which the null at this path is another value; the same object when there is no null. */
function replaceNull(value: Json, path: readonly (string | number)[], other: Json): Json {
  const [first, ...rest] = path
  if (first === undefined) return value === null ? other : value
  if (Array.isArray(value)) return value.map((item, i) => (i === first ? replaceNull(item, rest, other) : item))
  if (!isObject(value) || typeof first === 'number') return value
  const member = Object.hasOwn(value, first) ? value[first] : undefined
  if (member === undefined) return value
  const replaced = replaceNull(member, rest, other)
  if (replaced === member) return value
  const copy = { ...value }
  setOwn(copy, first, replaced)
  return copy
}

/** A deep copy of a decoded object, with its record. */
export function cloneDecoded<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneDecoded) as T
  if (value === null || typeof value !== 'object') return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneDecoded((value as Record<string, unknown>)[key]))
  return alsoEmpty(copy, value) as T
}
