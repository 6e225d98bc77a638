import { isObject, type JsonObject } from '../object.ts'
import { isEmbedded, itemsOf, preserves, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

const OF_EVERY_OBJECT = new Set(['apiVersion', 'kind', 'metadata'])
const MOST = 100

/** The top-level fields of paths such as `spec.a[0].b`. */
export const topLevelFields = (paths: readonly string[]): ReadonlySet<string> => new Set(paths.map((path) => path.replace(/[.[].*/s, '')))

/**
 * Removes fields that the schema does not have, in place. `root`: a whole object, whose apiVersion, kind and metadata do not depend on the
 * schema.
 * `found` gets the paths of removed fields (at most a hundred).
 */
export function prune(value: unknown, schema: SchemaProps | undefined, root: boolean, found?: string[]): void {
  pruneAt(value, schema, { root: root || isEmbedded(schema), open: preserves(schema), path: '', found })
}

interface Scope {
  readonly root: boolean
  /** Keeps fields that the schema does not have. */
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
  // A list that keeps unknown fields keeps those of its items, too.
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
    // `additionalProperties: true` (or `false`, which validation checks) does not describe the members of the values.
    const below = property ?? valuesOf(schema)
    pruneAt(value[name], below, { root: isEmbedded(below), open: preserves(below), path: at, found })
  }
}
