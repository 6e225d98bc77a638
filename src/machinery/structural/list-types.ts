import { Pace, type Steps } from '../../base/steps.ts'
import { equalJson } from '../equal.ts'
import { duplicate, type FieldError, invalid } from '../field-error.ts'
import { isObject, type Json, type JsonObject } from '../object.ts'
import { sortedKeys } from '../sorted-keys.ts'
import { anyInside } from './any-inside.ts'
import { itemsOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

/** Most reported faults of a list. */
export const MOST_FAULTS = 1000

/**
 * Faults of lists that are sets, or maps by keys: duplicates, and items that cannot have keys. `old`: unchanged parts are not checked
 * again.
 */
export function* checkListTypes(value: unknown, schema: SchemaProps, path = '', old?: unknown): Steps<FieldError[]> {
  const finder = new DuplicateFinder()
  yield* finder.visit(value, schema, path, old)
  return finder.faults
}

const hasLists = anyInside((schema) => ['set', 'map'].includes(schema['x-kubernetes-list-type'] ?? ''))

class DuplicateFinder {
  readonly faults: FieldError[] = []
  readonly #pace: Pace

  constructor() {
    this.#pace = new Pace()
  }

  *visit(value: unknown, schema: SchemaProps | undefined, path: string, old: unknown): Steps<void> {
    if (schema === undefined || value === null || typeof value !== 'object' || !hasLists(schema)) return
    if (old !== undefined && equalJson(old as Json, value as Json)) return
    if (Array.isArray(value)) yield* this.#list(value, schema, path)
    else
      for (const name of Object.keys(value)) {
        if (this.#pace.due()) yield
        const property = propertyOf(schema, name)
        const at = property === undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
        const below = (value as JsonObject)[name]
        yield* this.visit(below, property ?? valuesOf(schema), at, isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined)
      }
  }

  *#list(list: readonly unknown[], schema: SchemaProps, path: string): Steps<void> {
    const type = schema['x-kubernetes-list-type']
    if (type === 'set') yield* this.#unique(list, path, (item) => item as Json)
    else if (type === 'map') yield* this.#keyed(list, path, keyReader(schema))
    const items = itemsOf(schema)
    if (items === undefined || !hasLists(items)) return
    for (const [i, item] of list.entries()) yield* this.visit(item, items, `${path}[${i}]`, undefined)
  }

  /** Items without a key are reported, and nothing else of their list. */
  *#keyed(list: readonly unknown[], path: string, keyOf: (item: unknown) => Json): Steps<void> {
    const i = list.findIndex((item) => item !== null && !isObject(item as Json))
    if (i < 0) return yield* this.#unique(list, path, keyOf)
    this.faults.push(invalid(`${path}[${i}]`, list[i] as Json, 'must be an object for an array of list-type map'))
  }

  *#unique(list: readonly unknown[], path: string, keyOf: (item: unknown) => Json): Steps<void> {
    const times = new Map<string, number>()
    for (const [i, item] of list.entries()) {
      const key = keyOf(item)
      const id = canonical(key)
      if (this.#pace.due(1 + id.length / CHARACTERS_PER_MICROSECOND)) yield
      if (this.faults.length >= MOST_FAULTS) return
      const before = times.get(id) ?? 0
      // Of more than two, only the second is reported.
      if (before === 1) this.faults.push(duplicate(`${path}[${i}]`, sortedKeys(key)))
      times.set(id, before + 1)
    }
  }
}

/** As many characters of a value's text are written. */
const CHARACTERS_PER_MICROSECOND = 50

/** The values of an item's keys, or their defaults; the keys are in alphabetical order. */
function keyReader(schema: SchemaProps): (item: unknown) => Json {
  const keys = [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort()
  const items = itemsOf(schema)
  return (item) => {
    const key: Record<string, Json> = {}
    if (!isObject(item)) return key
    for (const name of keys) {
      const own = Object.hasOwn(item, name) ? item[name] : propertyOf(items, name)?.default
      if (own !== undefined) key[name] = own
    }
    return key
  }
}

/** Equal texts for equal values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((k) => `${JSON.stringify(k)}:${canonical(value[k])}`)
      .join(',')}}`
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null')
}
