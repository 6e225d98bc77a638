import type { Json } from '../object.ts'

/**
 * One node of a type: the common form of built-in types (derived from the Kubernetes API) and of a CustomResourceDefinition's structural
 * schema. Immutable, and shared if equal. Recursive types refer to themselves, so a walk must detect cycles. Built-in types are decoded by
 * Go's rules (`go` is set); custom ones by their schema.
 */
export type Schema = StructSchema | MapSchema | ListSchema | ScalarSchema | AnySchema

interface Common {
  /**
   * For `kubectl explain` and OpenAPI. Only of custom resources: the documentation of built-in types is separate
   * (`resources/documentation.ts`).
   */
  readonly description?: string
  /** Go's type in the decoder's errors: `[]v1.Container`, `int32`, `v1.PodSpec`. Built-in types only. */
  readonly go?: string
  readonly nullable?: boolean
  readonly default?: Json
  /** Keywords that only structural schemas have. */
  readonly constraints?: Constraints
}

/** A fixed set of fields. */
export interface StructSchema extends Common {
  readonly type: 'struct'
  /**
   * The name in decoder errors: `Container` in `Go struct field Container.spec.containers.image`; and the OpenAPI component,
   * `io.k8s.api.core.v1.Container`.
   */
  readonly name?: string
  readonly openapiName?: string
  /** In Go's order. */
  readonly fields: ReadonlyMap<string, Field>
  readonly required: readonly string[]
  /** Keeps unknown fields. */
  readonly preserveUnknown?: boolean
  /** `atomic` structs have one owner under server-side apply. */
  readonly mapType?: 'granular' | 'atomic'
  /** The value is a whole object with apiVersion, kind and metadata of its own. */
  readonly embedded?: boolean
  /** Go structs inlined here (`Field.inlineOf`): in protobuf each is a message of its own. */
  readonly inlines?: ReadonlyMap<string, { readonly tag: number; readonly schema: StructSchema }>
  /** At most one of the fields may be set (OpenAPI's `x-kubernetes-unions`). */
  readonly union?: boolean
}

export interface Field {
  readonly schema: Schema
  /** The protobuf field number; 0 if there is none (custom resources). */
  readonly tag: number
  /** Go's `omitempty`: empty strings, lists and maps, zeros and nulls are left out; structs never are. */
  readonly omitEmpty: boolean
  /** Go's `omitzero`: left out when zero, structs too. */
  readonly omitZero?: boolean
  /** Go pointer field: null and absent are the same, zero is kept. */
  readonly pointer?: boolean
  /** The Go structs through which this field is inlined (`RuleWithOperations.Rule`); needed for protobuf and for Go's error texts. */
  readonly inlineOf?: string
  /** Description of this field (the type's own is in the schema). */
  readonly description?: string
  /** Strategic merge patch, from Go's struct tags. */
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
  /** The discriminator of a union. */
  readonly discriminator?: boolean
}

/** A map with any keys and values of one type. */
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
  /** Go may give the list type of bytes, which it treats as a list. */
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

/** Any value, which is kept as it is: `x-kubernetes-preserve-unknown-fields`, `runtime.RawExtension`, `apiextensions JSON`, `FieldsV1`. */
export interface AnySchema extends Common {
  readonly type: 'any'
  readonly embedded?: boolean
  /** The three unions inside `JSONSchemaProps`: a schema, or a value of this kind. */
  readonly alternative?: { readonly kind: 'bool' | 'schemas' | 'strings'; readonly schema: Schema }
}

/** OpenAPI v3 value validations of a CustomResourceDefinition, already checked (compiled patterns, typed numbers). */
export interface Constraints {
  readonly [keyword: string]: unknown
}
