import { setOwn } from '../object.ts'

/**
 * Fields that a body gave as `[]` or `{}`. Decoded objects leave them out, as Go's encoder does; yet while a request lives Go knows them
 * from fields that were not given, and shows them so in messages. This remembers them beside the object, and forgets them with it.
 */
const given = new WeakMap<object, Map<string, 'list' | 'map'>>()

/** Remembers that the body had the field, empty. */
export function rememberEmpty(object: object, field: string, kind: 'list' | 'map'): void {
  const fields = given.get(object)
  if (fields === undefined) given.set(object, new Map([[field, kind]]))
  else fields.set(field, kind)
}

/** `[]` or `{}` when the body had the field so; undefined when it was not given, or the object is not the decoded one itself. */
export function givenEmpty(object: object | undefined, field: string): [] | Record<string, never> | undefined {
  const kind = object === undefined ? undefined : given.get(object)?.get(field)
  return kind === undefined ? undefined : kind === 'list' ? [] : {}
}

/** Carries what is known of an object over to a copy of it; returns the copy. */
export function alsoEmpty<T extends object>(copy: T, original: object): T {
  const fields = given.get(original)
  if (fields !== undefined) given.set(copy, fields)
  return copy
}

/** A deep copy of a decoded object that knows what its original knows. */
export function cloneDecoded<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneDecoded) as T
  if (value === null || typeof value !== 'object') return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneDecoded((value as Record<string, unknown>)[key]))
  return alsoEmpty(copy, value) as T
}
