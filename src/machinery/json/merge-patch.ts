import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'
import { PatchError } from './json-patch.ts'

/**
 * Applies an RFC 7386 patch to an object and returns the new one, which shares unchanged parts.
 * As in Kubernetes, nulls in the patch's own lists stay, but those of objects in them are removed if a list or scalar is replaced.
 * @throws {PatchError} `decode` if the patch is null or a scalar
 */
export function applyMergePatch(document: Json, patch: Json): Json {
  if (patch === null || typeof patch !== 'object') throw new PatchError('decode', 'Invalid JSON Patch')
  if (Array.isArray(patch)) return prune(patch)
  return isObject(document) ? mergeObjects(document, patch) : prune(patch)
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  let result = current
  const change = (): JsonObject => {
    if (result === current) result = { ...current }
    return result
  }
  for (const [key, value] of Object.entries(patch)) {
    const before = Object.hasOwn(current, key) ? current[key] : undefined
    if (value === undefined) continue
    if (value === null) {
      if (before !== undefined || Object.hasOwn(current, key)) delete change()[key]
    } else {
      const after = before === undefined || before === null ? prune(value) : merge(before, value)
      if (after !== before) setOwn(change(), key, after)
    }
  }
  return result
}

function merge(current: Json, patch: Json): Json {
  if (!isObject(current)) return prune(patch)
  return isObject(patch) ? mergeObjects(current, patch) : patch
}

/** Removes null members of objects; a list keeps its nulls. */
function prune(value: Json): Json {
  if (Array.isArray(value)) return value.map(prune)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value)) if (item !== null && item !== undefined) setOwn(result, key, prune(item))
  return result
}
