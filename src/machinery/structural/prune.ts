import { isObject, type JsonObject } from '../object.ts'
import { isEmbedded, itemsOf, preserves, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

const OF_EVERY_OBJECT = new Set(['apiVersion', 'kind', 'metadata'])
const MOST = 100

/**
 * Drops the fields that the schema does not have, in place. `root`: a whole object, whose apiVersion, kind and metadata are not the
 * schema's to judge.
 * `found` gets the paths of the dropped fields (a hundred of them at most).
 */
export function prune(value: unknown, schema: SchemaProps | undefined, root: boolean, found?: string[]): void {
  pruneAt(value, schema, root, '', found)
}

function pruneAt(value: unknown, schema: SchemaProps | undefined, root: boolean, path: string, found: string[] | undefined): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    if (value.length === 0 || value[0] === null || (typeof value[0] !== 'object' && !value.some((v) => typeof v === 'object'))) return
    for (const [i, item] of value.entries()) {
      if (preserves(schema) && items === undefined) continue
      pruneAt(item, items, isEmbedded(items), `${path}[${i}]`, found)
    }
    return
  }
  if (isObject(value)) pruneObject(value, schema, { root: root || isEmbedded(schema), path, found })
}

function pruneObject(
  value: JsonObject,
  schema: SchemaProps | undefined,
  { root, path, found }: { root: boolean; path: string; found: string[] | undefined },
): void {
  const open = schema?.additionalProperties !== undefined && schema.additionalProperties !== null && schema.additionalProperties !== false
  for (const name of Object.keys(value)) {
    if (root && OF_EVERY_OBJECT.has(name)) continue
    const property = propertyOf(schema, name)
    const below = property ?? (open ? valuesOf(schema) : undefined)
    const at = path === '' ? name : `${path}.${name}`
    if (property === undefined && !open) {
      if (preserves(schema)) continue
      if (found !== undefined && found.length < MOST) found.push(at)
      delete value[name]
      continue
    }
    if (below === undefined && preserves(schema)) continue
    pruneAt(value[name], below, isEmbedded(below), at, found)
  }
}
