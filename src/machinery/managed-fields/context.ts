import { arrival, type Later, type Steps } from '../../base/steps.ts'
import { asJson, asKubeObject, isObject, type Json, type JsonObject, type KubeObject } from '../object.ts'
import { decodeObject, zeroValue } from '../schema/decode.ts'
import { withGivenLists } from '../schema/given-empty.ts'
import type { Schema } from '../schema/schema.ts'
import { type FieldSet, setOfFields } from './field-set/field-set.ts'
import { type TypedNode, typedNode } from './typed/typed-node.ts'

/** The parts of a write that managed fields need. */
export interface WriteContext {
  /** The version of the write, in which objects are given: `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  readonly schema: Schema
  /** `''` for the resource itself. */
  readonly subresource: string
  /** Fields that this kind of write cannot change (`status` for a write to the resource). */
  readonly resetFields?: readonly (readonly string[])[] | undefined
  /** RFC 3339, whole seconds. */
  readonly now: string
  /**
   * Other versions of the type, for entries in those versions. Undefined for versions that do not exist (any more).
   * @throws {StatusError} for those of custom kinds
   */
  readonly otherVersion?: ((apiVersion: string) => OtherVersion | undefined) | undefined
}

export interface OtherVersion {
  readonly schema: Schema
  /** Converts an object of this context's version into the other one, with a webhook for some custom kinds. */
  readonly convert: (object: KubeObject) => Later<KubeObject>
  /** The reverse conversion. */
  readonly convertBack: (object: KubeObject) => Later<KubeObject>
  /** The kind has Go's types: after a conversion, fields without `omitempty` are there, as zero values. */
  readonly hasGoTypes?: boolean
}

/**
 * A converted object. `decoded`: the Go type of the result, whose zero values it then has; a Go type always has metadata, and lists
 * that a conversion made empty are there.
 */
export function* converted(given: Json, convert: OtherVersion['convert'], decoded: Schema | undefined): Steps<Json> {
  const object = decoded === undefined || !isObject(given) || isObject(given.metadata) ? given : { ...given, metadata: {} }
  const result = asJson(yield* arrival(convert(asKubeObject(object))))
  return decoded === undefined ? result : withGivenLists(decodeObject(decoded, result).object)
}

/** Metadata that no manager owns. */
const serverMetadata = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]
export const serverFields: FieldSet = setOfFields([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...serverMetadata.map((name) => ['metadata', name]),
])

const resetSets = new WeakMap<readonly (readonly string[])[], FieldSet>()

/** The context's reset fields as a set. */
export function resetSet(context: WriteContext): FieldSet {
  const { resetFields } = context
  if (resetFields === undefined || resetFields.length === 0) return setOfFields([])
  let set = resetSets.get(resetFields)
  if (set === undefined) {
    set = setOfFields(resetFields)
    resetSets.set(resetFields, set)
  }
  return set
}

export const nodeOf = (context: { readonly schema: Schema }): TypedNode => typedNode(context.schema)

/** The empty object of the type: for built-in types the zero value that Go writes, for custom ones only apiVersion and kind. */
export function emptyObject(context: WriteContext): KubeObject {
  const zero = context.schema.go === undefined ? {} : (zeroValue(context.schema) as JsonObject)
  return { ...zero, apiVersion: context.apiVersion, kind: context.kind, metadata: (zero.metadata ?? {}) as KubeObject['metadata'] }
}

/** The object without its managed fields, which have no owner. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
