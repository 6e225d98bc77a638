import { equalJson } from '../../machinery/equal.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../../machinery/object.ts'

const PARTS = ['definitions', 'parameters', 'responses'] as const

/**
 * Merges several documents. An earlier document wins if two have the same path. A definition whose name is used for a different one gets
 * another name (`Widget_v2`), and references to it are changed. The documents themselves are not changed.
 */
export function mergeOpenapiV2(own: JsonObject, others: readonly JsonObject[]): JsonObject {
  if (others.length === 0) return own
  const merged: JsonObject = { ...own }
  for (const part of ['paths', ...PARTS]) if (isObject(own[part])) merged[part] = { ...own[part] }
  for (const other of others) merge(merged, other)
  return merged
}

function merge(into: JsonObject, from: JsonObject): void {
  const names = new Map<string, string>()
  for (const part of PARTS) {
    const there = isObject(into[part]) ? into[part] : {}
    for (const [name, value] of entries(from[part])) {
      const other = freeName(there, name, value)
      if (other !== name) names.set(`#/${part}/${name}`, `#/${part}/${other}`)
    }
  }
  for (const part of PARTS) {
    const found = entries(from[part])
    if (found.length === 0) continue
    const there: JsonObject = isObject(into[part]) ? into[part] : {}
    into[part] = there
    for (const [name, value] of found) {
      const target = (names.get(`#/${part}/${name}`) ?? `#/${part}/${name}`).slice(`#/${part}/`.length)
      if (!Object.hasOwn(there, target)) setOwn(there, target, renamed(value, names))
    }
  }
  const paths: JsonObject = isObject(into.paths) ? into.paths : {}
  into.paths = paths
  for (const [path, item] of entries(from.paths)) if (!Object.hasOwn(paths, path)) setOwn(paths, path, renamed(item, names))
}

const entries = (value: Json | undefined): [string, Json][] => (isObject(value) ? (Object.entries(value) as [string, Json][]) : [])

/** A free name for the value: its own unless a different value has it. */
function freeName(there: JsonObject, name: string, value: Json): string {
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${name}_v${n}`
    const present = Object.hasOwn(there, tried) ? there[tried] : undefined
    if (present === undefined || equalJson(present, value)) return tried
  }
}

/** The value with renamed references; shared with the original if it contains none. */
function renamed(value: Json, names: ReadonlyMap<string, string>): Json {
  if (names.size === 0 || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((v) => renamed(v, names))
  const out: JsonObject = {}
  for (const [key, inner] of Object.entries(value) as [string, Json][]) {
    const name = key === '$ref' && typeof inner === 'string' ? names.get(inner) : undefined
    setOwn(out, key, name ?? renamed(inner, names))
  }
  return out
}
