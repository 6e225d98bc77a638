import { AS_GO, encodeJson } from '../../json/strict-json.ts'
import { isObject, type Json, type JsonObject } from '../../object.ts'
import { GoValue } from '../../schema/go-value.ts'
import type { TypedNode } from './typed-node.ts'

/** An item that is invalid in a list whose items are distinguished. */
export class ListElementError extends Error {
  override readonly name: string = 'ListElementError'
}

/** An item of a list map that has none of the keys. Kubernetes then tracks no fields of the object. */
export class KeylessElementError extends ListElementError {
  override readonly name = 'KeylessElementError'

  constructor(keys: readonly string[]) {
    const names = keys.map((key) => JSON.stringify(key)).join(' ')
    super(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    )
  }
}

/**
 * The path element of an item of a set or list map. A missing key has its default, or is left out.
 * @throws {ListElementError}
 */
export function listElement(list: TypedNode, item: Json): string {
  if (list.keys === undefined) return setElement(item)
  if (item === null) throw new ListElementError('associative list with keys may not have a null element')
  if (typeof item !== 'object' || Array.isArray(item) || item instanceof GoValue)
    throw new ListElementError('associative list with keys may not have non-map elements')
  let text = ''
  for (const key of list.keys) {
    const value = keyValue(list, item, key)
    if (value === undefined) continue
    if (text !== '') text += ','
    text += `${JSON.stringify(key)}:${value instanceof GoValue ? null : encodeJson(value, AS_GO)}`
  }
  if (text === '') throw new KeylessElementError(list.keys)
  return `k:{${text}}`
}

function setElement(item: Json): string {
  if (item === null) throw new ListElementError("associative list without keys has an element that's an explicit null")
  if (Array.isArray(item)) throw new ListElementError('not supported: associative list with lists as elements')
  // The check of its type refuses it, and shows its place as Go does.
  if (item instanceof GoValue) return 'i:={{undefined}}'
  if (typeof item === 'object') throw new ListElementError("associative list without keys has an element that's a map type")
  return `v:${encodeJson(item, AS_GO)}`
}

export function keyValue(list: TypedNode, item: JsonObject, key: string): Json | undefined {
  const value = Object.hasOwn(item, key) ? item[key] : undefined
  return value === undefined ? list.keyDefaults.get(key) : value
}

/** True if two items have the same element; does not build it. */
export function sameElement(list: TypedNode, a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (list.keys === undefined || !isObject(a) || !isObject(b)) return false
  for (const key of list.keys) if (keyValue(list, a, key) !== keyValue(list, b, key)) return false
  return true
}

/**
 * The elements of all items; undefined for items that have none (in stored objects older than their schema).
 * @throws {KeylessElementError}
 */
export const listElements = (list: TypedNode, items: readonly Json[]): (string | undefined)[] => items.map((item) => elementOf(list, item))

/** The same of one item. */
export function elementOf(list: TypedNode, item: Json): string | undefined {
  const isFit = list.keys === undefined ? item === null || typeof item !== 'object' : isObject(item)
  return isFit ? listElement(list, item) : undefined
}
