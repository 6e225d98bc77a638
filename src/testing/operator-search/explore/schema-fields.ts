import { isObject, type KubeObject } from '../../../machinery/object.ts'
import type { CustomResourceDefinition, JSONSchemaProps } from '../../../resources/types/apiextensions.ts'
import { isKnownWhole } from './known-fields.ts'

/** A field of a sample that may be changed. */
export interface SchemaField {
  readonly path: readonly string[]
  readonly schema: JSONSchemaProps
  /** The schemas of what it is in, from `spec` on. */
  readonly parents: readonly JSONSchemaProps[]
  readonly required: boolean
  /** Whether it holds other fields. */
  readonly isPart: boolean
}

/** A recursive or endless schema is followed no deeper. */
const DEEPEST = 7

/**
 * The fields of a sample's schema: those that the sample sets first, then those nearest to the top. Of those that are equally near, each
 * part of the spec has one in turn: else a pod template would come before all that follows it.
 */
export function schemaFields(sample: KubeObject, definition: CustomResourceDefinition): SchemaField[] {
  const version = sample.apiVersion.split('/').at(-1)
  const root = definition.spec.versions.find((v) => v.name === version)?.schema?.openAPIV3Schema
  const fields = fieldsOf({ schema: root?.properties?.spec ?? {}, path: ['spec'], parents: [] }, sample)
  const isSet = ({ path }: SchemaField) => valueAt(sample, path) !== undefined
  const turns = turnsOf(fields)
  const turn = (field: SchemaField) => turns.get(field) ?? 0
  return fields.sort((a, b) => Number(isSet(b)) - Number(isSet(a)) || a.path.length - b.path.length || turn(a) - turn(b))
}

/** How many fields come before each in its part of the spec, at the same depth. */
function turnsOf(fields: readonly SchemaField[]): ReadonlyMap<SchemaField, number> {
  const parts = Map.groupBy(fields, ({ path }) => `${path.length} ${path[PART]}`)
  return new Map([...parts.values()].flatMap((part) => part.map((field, turn) => [field, turn] as const)))
}

/** The place in a path that names a part of the spec. */
const PART = 1

function fieldsOf({ schema, path, parents }: Pick<SchemaField, 'schema' | 'path' | 'parents'>, sample: KubeObject): SchemaField[] {
  const { properties = {}, required = [] } = schema
  const known = { ...unknownProperties(schema, valueAt(sample, path)), ...properties }
  return Object.entries(known).flatMap(([name, of]) => {
    const at = [...path, name]
    const field = { path: at, schema: of, parents: [...parents, schema] }
    const inner = at.length > DEEPEST || isKnownWhole(name) ? [] : fieldsOf(field, sample)
    return [{ ...field, required: required.includes(name), isPart: inner.length > 0 }, ...inner]
  })
}

/** Where a schema allows anything, the sample shows what is meant. */
function unknownProperties(schema: JSONSchemaProps, value: unknown): Record<string, JSONSchemaProps> {
  const anything = schema['x-kubernetes-preserve-unknown-fields'] === true || Object.keys(schema).length === 0
  if (!anything || !isObject(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, schemaOf(inner)]))
}

function schemaOf(value: unknown): JSONSchemaProps {
  if (Array.isArray(value)) return { type: 'array', ...(value.length > 0 && { items: schemaOf(value[0]) }) }
  if (isObject(value)) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return { type: typeof value === 'number' ? 'integer' : typeof value }
}

/** The value of a field; undefined: it is not set. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), object)
}
