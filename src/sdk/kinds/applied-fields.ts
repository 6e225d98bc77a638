import { equalJson } from '../../machinery/equal.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'

/** Whether applying this would change nothing: the object has these fields, the manager owns them, and owns no others. */
export function isSettled(live: Readonly<KubeObject>, wanted: KubeObject, manager: string): boolean {
  const fields = appliedFields(live, manager)
  return fields !== undefined && contains(live, wanted) && !ownsMore(fields, wanted)
}

/** The fields that the manager has applied; undefined: it never did. */
export function appliedFields(live: Readonly<KubeObject>, manager: string): JsonObject | undefined {
  const entry = live.metadata.managedFields?.find((m) => m.manager === manager && m.operation === 'Apply' && !m.subresource)
  return entry === undefined ? undefined : (entry.fieldsV1 ?? {})
}

/** Whether the object has all desired fields with these values. */
function contains(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(live) && live.length === wanted.length && wanted.every((w, i) => contains(live[i], w))
  if (!isObject(wanted)) return equalJson(live, wanted)
  if (!isObject(live)) return false
  return Object.entries(wanted).every(([key, value]) => value === undefined || contains(live[key], value))
}

/** Whether a manager owns a field that is no longer desired. */
function ownsMore(fields: JsonObject, wanted: unknown): boolean {
  return Object.entries(fields).some(([path, below]) => {
    if (path === '.' || path.startsWith('v:'))
      return path !== '.' && !(Array.isArray(wanted) && wanted.some((w) => JSON.stringify(w) === path.slice(2)))
    const value = path.startsWith('k:') ? itemOf(path.slice(2), wanted) : isObject(wanted) ? wanted[path.slice(2)] : undefined
    return value === undefined || (isObject(below) && ownsMore(below, value))
  })
}

/** The item of a list that has these keys; one that leaves a key out may have it by default. */
function itemOf(keyText: string, list: unknown): unknown {
  const keys: unknown = JSON.parse(keyText)
  if (!Array.isArray(list) || !isObject(keys)) return undefined
  return list.find((item) => isObject(item) && Object.entries(keys).every(([k, v]) => item[k] === undefined || equalJson(item[k], v)))
}
