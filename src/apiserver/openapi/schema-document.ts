import { byKey } from '../../base/by-text.ts'
import type { Json, JsonObject } from '../../machinery/object.ts'
import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../../machinery/schema/schema.ts'
import type { Kinds } from '../kinds.ts'
import { objectMetadata, typeMeta } from './custom-fields.ts'

/**
 * Writes schemas as OpenAPI. Named types become `components`, which are referred to by name; all types that a component refers to are
 * components, too. One writer makes one document.
 */
export class SchemaDocument {
  readonly components: Record<string, JsonObject> = {}
  readonly #version: 2 | 3
  readonly #types: Kinds
  readonly #kinds: KindsOf

  /** `types`: the source of documentation; `kinds`: the kinds of each component. */
  constructor(version: 2 | 3, types: Kinds, kinds: KindsOf) {
    this.#version = version
    this.#types = types
    this.#kinds = kinds
  }

  /** `{ $ref }` to a named type, whose component is written at the first reference; other types are written inline. */
  reference(schema: Schema): JsonObject {
    const named = componentName(schema)
    if (named === undefined) return this.inline(schema)
    if (!Object.hasOwn(this.components, named)) {
      this.components[named] = {} // types refer to themselves
      this.components[named] = this.#component(schema, named)
    }
    return { $ref: `${this.#version === 3 ? '#/components/schemas/' : '#/definitions/'}${named}` }
  }

  /** The body of a patch: any value. */
  patch(): JsonObject {
    const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch'
    this.components[name] ??= { description: 'A patch of the kind that the content type says.', type: 'object' }
    return { $ref: `${this.#version === 3 ? '#/components/schemas/' : '#/definitions/'}${name}` }
  }

  /** The schema itself, as a component's value. */
  inline(schema: Schema): JsonObject {
    switch (schema.type) {
      case 'struct':
        return this.#struct(schema)
      case 'map':
        return this.#map(schema)
      case 'list':
        return this.#list(schema)
      case 'scalar':
        return this.#scalar(schema)
      case 'any':
        return this.#common(schema, {})
    }
  }

  #component(schema: Schema, name: string): JsonObject {
    const kinds = this.#kinds(name)
    return {
      ...describe(this.#types.documentation(name)[''] ?? schema.description),
      ...(schema.type === 'struct' ? this.#componentStruct(ownType(this.#types, schema)) : opaque(schema, this.#version)),
      ...(kinds.length > 0 ? { 'x-kubernetes-group-version-kind': kinds.map((k) => ({ ...k })) } : {}),
    }
  }

  /** OpenAPI v2 describes a kind with arbitrary fields only as an object: clients reject fields that a schema does not list. */
  #componentStruct(schema: StructSchema): JsonObject {
    if (this.#version === 2 && schema.go === undefined && schema.preserveUnknown === true) return { type: 'object' }
    return this.#struct(schema)
  }

  #struct(schema: StructSchema): JsonObject {
    const docs = schema.openapiName === undefined ? {} : this.#types.documentation(schema.openapiName)
    const properties: JsonObject = {}
    const fields = schema.embedded === true ? this.#embeddedFields(schema) : schema.fields
    for (const [name, field] of [...fields].sort(byKey)) {
      properties[name] = this.#property(field, describe(docs[name] ?? field.description))
    }
    const unions = schema.union === true ? unionsOf(schema) : undefined
    return this.#common(schema, {
      type: 'object',
      ...requiredOf(schema),
      ...(fields.size > 0 ? { properties } : {}),
      ...(schema.preserveUnknown === true ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
      ...(schema.embedded === true ? { 'x-kubernetes-embedded-resource': true } : {}),
      ...(schema.mapType !== undefined ? { 'x-kubernetes-map-type': schema.mapType } : {}),
      ...(unions ? { 'x-kubernetes-unions': [unions] } : {}),
    })
  }

  /** An embedded object contains its apiVersion, kind and metadata. */
  #embeddedFields(schema: StructSchema): ReadonlyMap<string, Field> {
    return new Map([...typeMeta(this.#types).fields, ['metadata', objectMetadata(this.#types)], ...schema.fields])
  }

  #property(field: Field, description: JsonObject): JsonObject {
    const { schema } = field
    const written = this.#value(schema, field.pointer === true || field.omitEmpty ? 'absent' : 'zero', field.pointer === true)
    const beside: JsonObject = {
      ...description,
      ...(schema.type === 'struct' && schema.mapType !== undefined && schema.mapType !== ownType(this.#types, schema).mapType
        ? { 'x-kubernetes-map-type': schema.mapType }
        : {}),
      ...(field.patchMergeKey !== undefined ? { 'x-kubernetes-patch-merge-key': field.patchMergeKey } : {}),
      ...(field.patchStrategy !== undefined ? { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') } : {}),
    }
    // OpenAPI 3.0 ignores the siblings of a $ref.
    if (this.#version === 3 && written.$ref !== undefined && Object.keys(beside).length > 0) return { allOf: [written], ...beside }
    return { ...written, ...beside }
  }

  /** The value of a field: OpenAPI v3 gives the zero value as the default of fields that Go always writes. */
  #value(schema: Schema, fallback: 'zero' | 'absent', pointer: boolean): JsonObject {
    const written = this.reference(schema)
    if (this.#version === 2 || schema.go === undefined) return written
    if (schema.type === 'struct') return pointer ? written : { default: {}, allOf: [written] }
    if (schema.type === 'scalar' && written.$ref === undefined) {
      const value = schema.default ?? (fallback === 'zero' ? zeroOf(schema) : undefined)
      return { ...written, ...(value !== undefined ? { default: value } : {}) }
    }
    return written
  }

  #map(schema: MapSchema): JsonObject {
    const values = this.#value(schema.values, 'zero', false)
    return this.#common(schema, {
      type: 'object',
      // A custom resource's `true`: every other schema of a value has a keyword.
      additionalProperties: schema.go === undefined && Object.keys(values).length === 0 ? true : values,
      ...(schema.mapType !== undefined ? { 'x-kubernetes-map-type': schema.mapType } : {}),
    })
  }

  #list(schema: ListSchema): JsonObject {
    return this.#common(schema, {
      type: 'array',
      items: this.#value(schema.items, 'zero', false),
      ...(schema.listType !== undefined ? { 'x-kubernetes-list-type': schema.listType } : {}),
      ...(schema.listMapKeys !== undefined ? { 'x-kubernetes-list-map-keys': [...schema.listMapKeys] } : {}),
    })
  }

  #scalar(schema: ScalarSchema): JsonObject {
    return this.#common(schema, {
      ...TYPES[schema.scalar],
      ...(schema.scalar === 'int-or-string' && schema.go === undefined && this.#version === 3 ? INT_OR_STRING : {}),
      ...(schema.listType !== undefined ? { 'x-kubernetes-list-type': schema.listType } : {}),
      ...(schema.enum !== undefined ? { enum: [...schema.enum] as Json[] } : {}),
    })
  }

  /** Keywords of custom resources: their constraints are written as their author wrote them. */
  #common(schema: Schema, written: JsonObject): JsonObject {
    if (schema.go !== undefined) return written
    const about = describe(schema.description)
    if (this.#version === 2) return { ...about, ...inV2(schema, written) }
    return {
      ...about,
      ...written,
      ...(schema.nullable === true ? { nullable: true } : {}),
      ...(schema.default !== undefined ? { default: schema.default } : {}),
      ...constraintsOf(schema),
    }
  }
}

const INT_OR_STRING: JsonObject = { anyOf: [{ type: 'integer' }, { type: 'string' }] }

function requiredOf({ embedded, required }: StructSchema): JsonObject {
  const all = embedded === true ? [...new Set(['kind', 'apiVersion', ...required])] : required
  return all.length > 0 ? { required: [...all] } : {}
}

/** OpenAPI v2 has neither null nor choices (anyOf): v2 leaves such constraints out, so that no client rejects a valid value. */
function inV2(schema: Schema, written: JsonObject): JsonObject {
  const open = schema.nullable === true || (schema.type === 'struct' && schema.preserveUnknown === true)
  const constraints = Object.entries(constraintsOf(schema)).filter(([keyword]) => !CHOICES.has(keyword))
  const kept = Object.entries(written).filter(([key]) => !open || key.startsWith('x-'))
  return Object.fromEntries([...kept, ...(open ? constraints.filter(([key]) => key.startsWith('x-')) : constraints)])
}

const CHOICES = new Set(['allOf', 'anyOf', 'oneOf', 'not'])

/** The kinds of a component, for `x-kubernetes-group-version-kind`. */
export type KindsOf = (openapiName: string) => readonly { readonly group: string; readonly version: string; readonly kind: string }[]

const describe = (text: string | undefined): JsonObject => (text === undefined ? {} : { description: text })

const TYPES: Readonly<Record<ScalarSchema['scalar'], JsonObject>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  integer: { type: 'integer' },
  float64: { type: 'number', format: 'double' },
  number: { type: 'number' },
  time: { type: 'string', format: 'date-time' },
  microtime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  quantity: { type: 'string' },
  'int-or-string': { 'x-kubernetes-int-or-string': true },
}

/** Go types with a JSON form of their own; each is a component. */
const OPAQUE: Readonly<Record<string, string>> = {
  'v1.Time': 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  'v1.MicroTime': 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
  'v1.Duration': 'io.k8s.apimachinery.pkg.apis.meta.v1.Duration',
  'v1.FieldsV1': 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  'resource.Quantity': 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'intstr.IntOrString': 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  'runtime.RawExtension': 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  'v1.JSON': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
  'v1.JSONSchemaPropsOrBool': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool',
  'v1.JSONSchemaPropsOrArray': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
  'v1.JSONSchemaPropsOrStringArray': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
}

/** The name of the component of a schema; undefined if the schema is written inline. */
export function componentName(schema: Schema): string | undefined {
  if (schema.type === 'struct') return schema.openapiName
  return schema.go !== undefined && Object.hasOwn(OPAQUE, schema.go) ? OPAQUE[schema.go] : undefined
}

function opaque(schema: Schema, version: 2 | 3): JsonObject {
  switch (schema.go) {
    case 'resource.Quantity':
      return version === 3 ? { oneOf: [{ type: 'string' }, { type: 'number' }] } : { type: 'string' }
    case 'intstr.IntOrString':
      return version === 3
        ? { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }
        : { type: 'string', format: 'int-or-string' }
    case 'v1.FieldsV1':
    case 'runtime.RawExtension':
      return { type: 'object' }
  }
  return schema.type === 'scalar' ? { ...TYPES[schema.scalar] } : {}
}

/** The type without the ownership markers of the field that refers to it. */
function ownType(types: Kinds, schema: StructSchema): StructSchema {
  const own = schema.openapiName === undefined ? undefined : types.byOpenapiName(schema.openapiName)
  return own?.type === 'struct' ? own : schema
}

function zeroOf(schema: ScalarSchema): Json | undefined {
  switch (schema.scalar) {
    case 'string':
      return ''
    case 'bool':
      return false
    case 'int32':
    case 'int64':
    case 'float64':
      return 0
    default:
      return undefined
  }
}

function unionsOf(schema: StructSchema): JsonObject | undefined {
  const discriminator = [...schema.fields].find(([, f]) => f.discriminator === true)?.[0]
  const members = [...schema.fields].filter(([, f]) => f.discriminator !== true)
  return {
    ...(discriminator !== undefined ? { discriminator } : {}),
    'fields-to-discriminateBy': Object.fromEntries(members.map(([name]) => [name, `${name[0]?.toUpperCase()}${name.slice(1)}`])),
  }
}

function constraintsOf(schema: Schema): JsonObject {
  const out: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema.constraints ?? {})) {
    const json = value instanceof RegExp ? value.source : value
    if (json !== undefined && typeof json !== 'function') out[keyword] = json as Json
  }
  return out
}
