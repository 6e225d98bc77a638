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
  pruneAt(value, schema, { root: root || isEmbedded(schema), open: preserves(schema), path: '', found })
}

interface Scope {
  readonly root: boolean
  /** Fields that the schema does not have are kept. */
  readonly open: boolean
  readonly path: string
  readonly found: string[] | undefined
}

function pruneAt(value: unknown, schema: SchemaProps | undefined, scope: Scope): void {
  if (Array.isArray(value)) pruneList(value, schema, scope)
  else if (isObject(value)) pruneObject(value, schema, scope)
}

function pruneList(list: readonly unknown[], schema: SchemaProps | undefined, { open, path, found }: Scope): void {
  const items = itemsOf(schema)
  if ((open && items === undefined) || !list.some((item) => typeof item === 'object' && item !== null)) return
  const root = isEmbedded(items)
  // What holds for a list holds for its items: a list that keeps unknown fields keeps those of its items.
  const inner = open || preserves(items)
  for (const [i, item] of list.entries()) pruneAt(item, items, { root, open: inner, path: `${path}[${i}]`, found })
}

function pruneObject(value: JsonObject, schema: SchemaProps | undefined, { root, open, path, found }: Scope): void {
  const hasValues = schema?.additionalProperties !== undefined && schema.additionalProperties !== null
  for (const name of Object.keys(value)) {
    if (root && OF_EVERY_OBJECT.has(name)) continue
    const property = propertyOf(schema, name)
    const at = path === '' ? name : `${path}.${name}`
    if (property === undefined && !hasValues) {
      if (open) continue
      if (found !== undefined && found.length < MOST) found.push(at)
      delete value[name]
      continue
    }
    // `additionalProperties: true` (or `false`, which validation judges) says nothing of what is inside of the values.
    const below = property ?? valuesOf(schema)
    pruneAt(value[name], below, { root: isEmbedded(below), open: preserves(below), path: at, found })
  }
}
