import { byText } from '../base/by-text.ts'
import { Pace, type Steps, sortedInSteps } from '../base/steps.ts'
import { type Json, type JsonObject, setOwn } from './object.ts'

/** The value with sorted keys in every map, as Go writes maps. What is in order already is shared with the argument. */
export function sortedKeys(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? sortedItems(value) : sortedMap(value)
}

function sortedItems(items: Json[]): Json[] {
  let out: Json[] | undefined
  for (let i = 0; i < items.length; i++) {
    const item = items[i] ?? null
    const sorted = sortedKeys(item)
    if (sorted === item) continue
    out ??= items.slice()
    out[i] = sorted
  }
  return out ?? items
}

function sortedMap(map: JsonObject): JsonObject {
  let out: JsonObject | undefined
  let last = ''
  let inOrder = true
  for (const key in map) {
    if (key < last) inOrder = false
    last = key
    const member = map[key]
    if (typeof member !== 'object' || member === null) continue
    const sorted = sortedKeys(member)
    if (sorted === member) continue
    out ??= { ...map }
    setOwn(out, key, sorted)
  }
  return inOrder ? (out ?? map) : byKeys(out ?? map)
}

/** The map with its own keys in order; its members stay as they are. */
export function byKeys(map: JsonObject): JsonObject {
  const sorted: JsonObject = {}
  for (const key of Object.keys(map).sort()) setOwn(sorted, key, map[key])
  return sorted
}

/** The same in steps. */
export function* byKeysInSteps(map: JsonObject, pace: Pace): Steps<JsonObject> {
  const sorted: JsonObject = {}
  for (const key of yield* sortedInSteps(Object.keys(map), byText)) {
    if (pace.due()) yield
    setOwn(sorted, key, map[key])
  }
  return sorted
}

/** Sorts in steps; shares nothing. */
export function* sortedKeysInSteps(value: Json, pace = new Pace()): Steps<Json> {
  if (pace.due()) yield
  if (Array.isArray(value)) {
    const sorted: Json[] = []
    for (const item of value) sorted.push(yield* sortedKeysInSteps(item, pace))
    return sorted
  }
  if (value === null || typeof value !== 'object') return value
  const keys = yield* sortedInSteps(Object.keys(value), byText)
  const sorted: JsonObject = {}
  for (const key of keys) setOwn(sorted, key, yield* sortedKeysInSteps(value[key] ?? null, pace))
  return sorted
}
