import { type Json, type JsonObject, setOwn } from './object.ts'

/** The same value with the keys of every map in order: Go writes maps so. */
export function sortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (value === null || typeof value !== 'object') return value
  const sorted: JsonObject = {}
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, sortedKeys(value[key] ?? null))
  return sorted
}
