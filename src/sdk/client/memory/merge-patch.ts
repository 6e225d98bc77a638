import { type JsonObject, setOwn } from '../../../machinery/object.ts'

/** The lists that components here patch by their items, and by which key. */
const MERGE_KEYS: Readonly<Record<string, string>> = { conditions: 'type', reservedFor: 'uid' }

/** A merge patch; as a strategic one it also merges those lists. */
export function merge(old: unknown, patch: JsonObject, strategic: boolean): JsonObject {
  const result: JsonObject = old !== null && typeof old === 'object' && !Array.isArray(old) ? { ...(old as JsonObject) } : {}
  for (const [key, value] of Object.entries(patch)) {
    const by = strategic && Array.isArray(value) && Object.hasOwn(MERGE_KEYS, key) ? MERGE_KEYS[key] : undefined
    if (value === null) delete result[key]
    else if (by !== undefined) setOwn(result, key, mergeItems(result[key], value as JsonObject[], by))
    else if (typeof value === 'object' && !Array.isArray(value)) setOwn(result, key, merge(result[key], value as JsonObject, strategic))
    else setOwn(result, key, value)
  }
  return result
}

function mergeItems(old: unknown, patch: readonly JsonObject[], by: string): JsonObject[] {
  const result = Array.isArray(old) ? [...(old as JsonObject[])] : []
  for (const item of patch) {
    const at = result.findIndex((o) => o[by] === item[by])
    if (item.$patch === 'delete') {
      if (at !== -1) result.splice(at, 1)
    } else if (at === -1) result.push(item)
    else result[at] = { ...result[at], ...item }
  }
  return result
}
