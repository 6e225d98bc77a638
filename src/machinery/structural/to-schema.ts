import type { Json } from '../object.ts'
import type { Constraints, Field, Schema, StructSchema } from '../schema/schema.ts'
import { isEmbedded, isIntOrString, itemsOf, preserves, type SchemaProps, valuesOf } from './schema-props.ts'

/** Keywords that a schema node represents by members of its own. */
const OWN = new Set([
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'description',
  'default',
  'nullable',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
])

/** The same type as a schema node, for OpenAPI, managed fields and CEL. Equal parts share a node. */
export function toSchema(props: SchemaProps): Schema {
  let known = made.get(props)
  if (known === undefined) {
    known = convert(props)
    made.set(props, known)
  }
  return known
}

const made = new WeakMap<SchemaProps, Schema>()

function convert(props: SchemaProps): Schema {
  const common = {
    ...(props.description ? { description: props.description } : {}),
    ...(props.nullable === true ? { nullable: true } : {}),
    ...(props.default !== undefined && props.default !== null ? { default: props.default } : {}),
  }
  const constraints = constraintsOf(props)
  const rest = { ...common, ...(constraints && { constraints }) }
  if (isIntOrString(props)) return { type: 'scalar', scalar: 'int-or-string', ...rest }
  switch (props.type) {
    case 'object':
      return objectSchema(props, rest)
    case 'array': {
      const type = props['x-kubernetes-list-type']
      return {
        type: 'list',
        items: toSchema(itemsOf(props) ?? {}),
        ...(type === 'set' || type === 'map' || type === 'atomic' ? { listType: type } : {}),
        ...(props['x-kubernetes-list-map-keys'] ? { listMapKeys: props['x-kubernetes-list-map-keys'] } : {}),
        ...rest,
      }
    }
    case 'string':
      return { type: 'scalar', scalar: 'string', ...rest }
    case 'integer':
      return { type: 'scalar', scalar: 'integer', ...rest }
    case 'number':
      return { type: 'scalar', scalar: 'number', ...rest }
    case 'boolean':
      return { type: 'scalar', scalar: 'bool', ...rest }
    default:
      return { type: 'any', ...rest, ...(isEmbedded(props) ? { embedded: true } : {}) }
  }
}

type Common = Pick<StructSchema, 'description' | 'nullable' | 'default' | 'constraints'>

function objectSchema(props: SchemaProps, common: Common): Schema {
  const mapType = props['x-kubernetes-map-type']
  const owned = mapType === 'atomic' || mapType === 'granular' ? { mapType } : {}
  const values = valuesOf(props)
  if (values !== undefined) return { type: 'map', values: toSchema(values), ...owned, ...common } as Schema
  if (props.additionalProperties === true && props.properties === undefined)
    return { type: 'map', values: { type: 'any' }, ...owned, ...common } as Schema
  const fields = new Map<string, Field>()
  const { properties } = props
  for (const name in properties) {
    const property = properties[name]
    if (property !== undefined) fields.set(name, { schema: toSchema(property), tag: 0, omitEmpty: true })
  }
  return {
    type: 'struct',
    fields,
    required: props.required ?? [],
    ...(preserves(props) ? { preserveUnknown: true } : {}),
    ...(isEmbedded(props) ? { embedded: true } : {}),
    ...owned,
    ...common,
  } as Schema
}

function constraintsOf(props: SchemaProps): Constraints | undefined {
  let found: Record<string, Json> | undefined
  for (const keyword in props) {
    const value = Reflect.get(props, keyword) as Json | undefined
    if (OWN.has(keyword) || value === undefined || value === null) continue
    if (keyword === 'x-kubernetes-preserve-unknown-fields' && props.type === 'object') continue
    found ??= {}
    found[keyword] = value
  }
  return found
}
