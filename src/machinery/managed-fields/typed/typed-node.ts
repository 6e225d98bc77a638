import type { Json } from '../../object.ts'
import type { Field, Schema, StructSchema } from '../../schema/schema.ts'

/** The properties of a type that server-side apply needs, derived once for each schema. */
export interface TypedNode {
  /** `any` takes the form of its value. */
  readonly kind: 'scalar' | 'list' | 'map' | 'any'
  /** Owned as a whole. */
  readonly atomic: boolean
  readonly scalar: 'string' | 'numeric' | 'boolean' | 'untyped'
  /** The type of a member of a map or struct; undefined if the type has no such field. */
  child(name: string): TypedNode | undefined
  /** True if the name is a field of a struct, not a key of a map. */
  named(name: string): boolean
  /** For lists that are not atomic. */
  readonly items: TypedNode | undefined
  /** The keys of a list map, sorted; undefined for sets. */
  readonly keys: readonly string[] | undefined
  readonly keyDefaults: ReadonlyMap<string, Json>
}

const leaf = {
  child: () => undefined,
  named: () => false,
  items: undefined,
  keys: undefined,
  keyDefaults: new Map<string, Json>(),
} as const

const scalarNode = (scalar: TypedNode['scalar']): TypedNode => ({ ...leaf, kind: 'scalar', atomic: true, scalar })
const scalars = {
  string: scalarNode('string'),
  numeric: scalarNode('numeric'),
  boolean: scalarNode('boolean'),
  untyped: scalarNode('untyped'),
}
const atomicList: TypedNode = { ...leaf, kind: 'list', atomic: true, scalar: 'untyped' }
const atomicMap: TypedNode = { ...leaf, kind: 'map', atomic: true, scalar: 'untyped', child: () => anyAtomic }

/** Any value, owned as a whole: `runtime.RawExtension`, `intstr.IntOrString` and the like. */
const anyAtomic: TypedNode = { ...leaf, kind: 'any', atomic: true, scalar: 'untyped' }
/** Any value, with maps owned by members: fields that a structural schema preserves without declaring them. */
export const deduced: TypedNode = { ...leaf, kind: 'any', atomic: false, scalar: 'untyped' }
const deducedMap: TypedNode = { ...leaf, kind: 'map', atomic: false, scalar: 'untyped', child: () => deduced }

/** The node of an `any` that has this value. Null and absent values leave it open. */
export function concrete(node: TypedNode, value: Json | undefined): TypedNode {
  if (node.kind !== 'any' || value === undefined || value === null) return node
  if (Array.isArray(value)) return atomicList
  if (typeof value === 'object') return node.atomic ? atomicMap : deducedMap
  return scalars.untyped
}

const nodes = new WeakMap<Schema, TypedNode>()
const openNodes = new WeakMap<Schema, TypedNode>()

export const typedNode = (schema: Schema): TypedNode => nodeIn(schema, false)

/**
 * The type of a part. `open`: an enclosing type preserves unknown fields. As in Kubernetes, all types declared inside it then preserve
 * them, too, but not those that are only referenced.
 */
function nodeIn(schema: Schema, open: boolean): TypedNode {
  const inherits = open && schema.go === undefined
  const known = inherits ? openNodes : nodes
  let node = known.get(schema)
  if (node === undefined) {
    node = build(schema, inherits)
    known.set(schema, node)
  }
  return node
}

function build(schema: Schema, open: boolean): TypedNode {
  switch (schema.type) {
    case 'struct':
      return structNode(schema, open)
    case 'map': {
      const { values } = schema
      return { ...leaf, kind: 'map', atomic: schema.mapType === 'atomic', scalar: 'untyped', child: () => nodeIn(values, open) }
    }
    case 'list': {
      if (schema.listType !== 'set' && schema.listType !== 'map') return { ...atomicList, items: nodeIn(schema.items, open) }
      const { items } = schema
      const keys = schema.listType === 'map' ? [...(schema.listMapKeys ?? [])].sort() : undefined
      return {
        ...leaf,
        kind: 'list',
        atomic: false,
        scalar: 'untyped',
        items: nodeIn(items, open),
        keys,
        keyDefaults: defaultsOf(items, keys ?? []),
      }
    }
    case 'any':
      return schema.go === undefined ? deduced : anyAtomic
    default:
      // Kubernetes' types of managed fields have times as scalars of any kind.
      if (schema.scalar === 'string' && schema.constraints?.format === 'date-time') return scalars.untyped
      return scalarFor(schema.scalar, schema.go !== undefined)
  }
}

function structNode(schema: StructSchema, inherited: boolean): TypedNode {
  const open = inherited || schema.preserveUnknown === true
  // An object type that declares no fields accepts any.
  const unknown = open || schema.fields.size === 0 ? deduced : undefined
  const children = new Map<string, TypedNode>()
  const child = (name: string): TypedNode | undefined => {
    let node = children.get(name)
    if (node !== undefined) return node
    const field = schema.fields.get(name)
    if (field === undefined) return unknown
    node = nodeIn(field.schema, open)
    children.set(name, node)
    return node
  }
  const named = (name: string) => schema.fields.has(name)
  return { ...leaf, kind: 'map', atomic: schema.mapType === 'atomic', scalar: 'untyped', child, named }
}

function defaultsOf(items: Schema, keys: readonly string[]): ReadonlyMap<string, Json> {
  const defaults = new Map<string, Json>()
  if (items.type !== 'struct') return defaults
  for (const key of keys) {
    const field = items.fields.get(key)
    const value = field === undefined ? undefined : (field.schema.default ?? zeroOf(field))
    if (value !== undefined) defaults.set(key, value)
  }
  return defaults
}

/** Go always writes a field without `omitempty`: its zero is the default in Kubernetes' OpenAPI. */
function zeroOf({ schema, omitEmpty, pointer }: Field): Json | undefined {
  if (omitEmpty || pointer === true || schema.type !== 'scalar') return undefined
  const node = scalarFor(schema.scalar, schema.go !== undefined)
  return node === scalars.string ? '' : node === scalars.numeric ? 0 : undefined
}

function scalarFor(scalar: string, go: boolean): TypedNode {
  switch (scalar) {
    case 'string':
    case 'bytes':
    case 'duration':
      return scalars.string
    case 'bool':
      return scalars.boolean
    case 'int32':
    case 'int64':
    case 'integer':
    case 'float64':
    case 'number':
      return scalars.numeric
    case 'time':
    case 'microtime':
      return go ? scalars.untyped : scalars.string
    // Kubernetes' OpenAPI gives it no type.
    case 'int-or-string':
      return go ? anyAtomic : deduced
    default:
      return scalars.untyped
  }
}
