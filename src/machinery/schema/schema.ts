import type { Json } from '../object.ts'

/**
 * One node of a type: the common form of built-in types (derived from the Kubernetes API) and of a CustomResourceDefinition's structural
 * schema. Frozen in meaning, shared where equal; recursive types refer to themselves, so walk with care. Built-in types are decoded by Go's
 * rules (`go` is set); custom ones by their schema.
 */
export type Schema = StructSchema | MapSchema | ListSchema | ScalarSchema | AnySchema

interface Common {
  /**
   * For `kubectl explain` and OpenAPI. Custom resources only: the documentation of built-in types is read apart
   * (`resources/documentation.ts`).
   */
  readonly description?: string
  /** Go's type, as the decoder's errors name it: `[]v1.Container`, `int32`, `v1.PodSpec`. Built-in types only. */
  readonly go?: string
  readonly nullable?: boolean
  readonly default?: Json
  /** Everything that only a structural schema can say; see `constraints.ts`. */
  readonly constraints?: Constraints
}

/** A fixed set of fields. */
export interface StructSchema extends Common {
  readonly type: 'struct'
  /**
   * The name that decoder errors use: `Container` in `Go struct field Container.spec.containers.image`; and the OpenAPI component,
   * `io.k8s.api.core.v1.Container`.
   */
  readonly name?: string
  readonly openapiName?: string
  /** In Go's order. */
  readonly fields: ReadonlyMap<string, Field>
  readonly required: readonly string[]
  /** Unknown fields are kept. */
  readonly preserveUnknown?: boolean
  /** `atomic` structs have one owner under server-side apply. */
  readonly mapType?: 'granular' | 'atomic'
  /** The value is a whole object with apiVersion, kind and metadata of its own. */
  readonly embedded?: boolean
  /** Go structs inlined here (`Field.inlineOf`): in protobuf each is a message of its own. */
  readonly inlines?: ReadonlyMap<string, { readonly tag: number; readonly schema: StructSchema }>
  /** At most one of the fields may be set, says Go (OpenAPI's `x-kubernetes-unions`). */
  readonly union?: boolean
}

export interface Field {
  readonly schema: Schema
  /** The protobuf field number; 0 where there is none (custom resources). */
  readonly tag: number
  /** Go's `omitempty`: empty strings, lists and maps, zeros and nulls are left out. It never leaves out a struct. */
  readonly omitEmpty: boolean
  /** Go's `omitzero`: left out when zero, structs too. */
  readonly omitZero?: boolean
  /** Go pointer field: null and absent are the same, zero is kept. */
  readonly pointer?: boolean
  /** The Go structs whose inlined field this is (`RuleWithOperations.Rule`); flattened here, kept for protobuf and for Go's error texts. */
  readonly inlineOf?: string
  /** Description of this field (the type's own is in the schema). */
  readonly description?: string
  /** Strategic merge patch, from Go's struct tags. */
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
  /** Of a union, the field that says which one is set. */
  readonly discriminator?: boolean
}

/** Any keys, one type of value. */
export interface MapSchema extends Common {
  readonly type: 'map'
  readonly values: Schema
  readonly mapType?: 'granular' | 'atomic'
}

export interface ListSchema extends Common {
  readonly type: 'list'
  readonly items: Schema
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly listMapKeys?: readonly string[]
  /** In protobuf the list is a message of its own, with the items as field 1 (Go's named slices in maps). */
  readonly wrapped?: boolean
}

export interface ScalarSchema extends Common {
  readonly type: 'scalar'
  readonly scalar: Scalar
  readonly enum?: readonly Json[]
  /** Bytes are a list to Go, which may say so. */
  readonly listType?: 'atomic' | 'set' | 'map'
}

export type Scalar =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'integer'
  | 'float64'
  | 'number'
  | 'time'
  | 'microtime'
  | 'duration'
  | 'quantity'
  | 'int-or-string'

/** Anything goes, and is kept: `x-kubernetes-preserve-unknown-fields`, `runtime.RawExtension`, `apiextensions JSON`, `FieldsV1`. */
export interface AnySchema extends Common {
  readonly type: 'any'
  readonly embedded?: boolean
  /** The three unions inside `JSONSchemaProps`: a schema, or what the kind says. */
  readonly alternative?: { readonly kind: 'bool' | 'schemas' | 'strings'; readonly schema: Schema }
}

/** The value validations of OpenAPI v3 as CustomResourceDefinitions may use them, already checked (compiled patterns, typed numbers). */
export interface Constraints {
  readonly [keyword: string]: unknown
}
