import { setOwn } from '../object.ts'

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

/** `[]` or `{}` if the body contained the field so; undefined if it did not, or the object is a copy of the decoded one. */
export function givenEmpty(object: object | undefined, field: string): [] | Record<string, never> | undefined {
  const kind = object === undefined ? undefined : given.get(object)?.get(field)
  return kind === undefined ? undefined : kind === 'list' ? [] : {}
}

/** Copies the record of one object to another, and returns that. */
export function alsoEmpty<T extends object>(copy: T, original: object): T {
  const fields = given.get(original)
  if (fields !== undefined) given.set(copy, fields)
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
