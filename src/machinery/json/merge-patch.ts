import { atOnce, Pace, type Steps } from '../../base/steps.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'
import { PatchError } from './json-patch.ts'

/**
 * Applies an RFC 7386 patch to an object and returns the new one, which shares unchanged parts.
 * As in Kubernetes, nulls in the patch's own lists stay, but those of objects in them are removed if a list or scalar is replaced.
 * @throws {PatchError} `decode` if the patch is null or a scalar
 */
export const applyMergePatch = (document: Json, patch: Json): Json => atOnce(mergePatchInSteps(document, patch))

/** The same in steps. */
export function* mergePatchInSteps(document: Json, patch: Json): Steps<Json> {
  if (patch === null || typeof patch !== 'object') throw new PatchError('decode', 'Invalid JSON Patch')
  const pace = new Pace()
  if (Array.isArray(patch) || !isObject(document)) return yield* prune(patch, pace)
  return yield* mergeObjects(document, patch, pace)
}

function* mergeObjects(current: JsonObject, patch: JsonObject, pace: Pace): Steps<JsonObject> {
  let result = current
  for (const key of Object.keys(patch)) {
    if (pace.due()) yield
    const value = patch[key]
    if (value === undefined) continue
    const present = Object.hasOwn(current, key)
    const before = present ? current[key] : undefined
    if (value === null && !present) continue
    const after = value === null ? null : yield* merge(before ?? null, value, pace)
    if (value !== null && after === before) continue
    if (result === current) result = yield* copied(current, pace)
    if (value === null) delete result[key]
    else setOwn(result, key, after)
  }
  return result
}

function* copied(object: JsonObject, pace: Pace): Steps<JsonObject> {
  const copy: JsonObject = {}
  for (const key of Object.keys(object)) {
    if (pace.due()) yield
    setOwn(copy, key, object[key])
  }
  return copy
}

function* merge(current: Json, patch: Json, pace: Pace): Steps<Json> {
  if (!isObject(current)) return yield* prune(patch, pace)
  return isObject(patch) ? yield* mergeObjects(current, patch, pace) : patch
}

/** Removes null members of objects; a list keeps its nulls. */
function* prune(value: Json, pace: Pace): Steps<Json> {
  if (pace.due()) yield
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (const item of value) items.push(yield* prune(item, pace))
    return items
  }
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item !== null && item !== undefined) setOwn(result, key, yield* prune(item, pace))
  }
  return result
}
