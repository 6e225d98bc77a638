import { byText } from '../base/by-text.ts'
import { atOnce, Pace, type Steps, sortedInSteps } from '../base/steps.ts'
import { type Json, type JsonObject, setOwn } from './object.ts'

/** The value with sorted keys in every map, as Go writes maps. */
export const sortedKeys = (value: Json): Json => atOnce(sortedKeysInSteps(value))

/** Sorts in steps. */
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
