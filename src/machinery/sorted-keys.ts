import { Pace, type Steps, sortedInSteps } from '../base/steps.ts'
import { byText } from './managed-fields/field-set/element-order.ts'
import { type Json, type JsonObject, setOwn } from './object.ts'
import { lightWeight } from './weight.ts'

/** The same value with the keys of every map in order: Go writes maps so. */
export function sortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (value === null || typeof value !== 'object') return value
  const sorted: JsonObject = {}
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, sortedKeys(value[key] ?? null))
  return sorted
}

/** The same in steps. */
export function* sortedKeysInSteps(value: Json, pace = new Pace()): Steps<Json> {
  const weight = lightWeight(value)
  if (weight !== undefined) {
    if (pace.due(weight)) yield
    return sortedKeys(value)
  }
  if (Array.isArray(value)) {
    const sorted: Json[] = []
    for (const item of value) sorted.push(yield* sortedKeysInSteps(item, pace))
    return sorted
  }
  if (value === null || typeof value !== 'object') return value
  yield
  const keys = yield* sortedInSteps(Object.keys(value), byText)
  const sorted: JsonObject = {}
  for (const key of keys) setOwn(sorted, key, yield* sortedKeysInSteps(value[key] ?? null, pace))
  return sorted
}
