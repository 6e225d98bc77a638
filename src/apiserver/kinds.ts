import type { GroupVersionKind } from '../machinery/object.ts'
import type { Schema } from '../machinery/schema/schema.ts'

/**
 * The types that are compiled into a server, beyond the resources that it serves: `meta.k8s.io`, `autoscaling/v1 Scale`, lists and options.
 * They are a dependency, so that the generic server knows no kind by itself.
 */
export interface Kinds {
  /** The schema of a type of a group version, read lazily. Throws for an unknown type. */
  schema(group: string, version: string, kind: string): Schema
  /** True if a kind of this name is registered in the group version. */
  has(group: string, version: string, kind: string): boolean
  /** True if the kind can be converted from this version, which is not served. */
  isUnserved(named: GroupVersionKind): boolean
  /** The Go package of a kind's type, as errors name it: `v1beta1`; the same one for the types that every version has. */
  goPackage(named: GroupVersionKind): string
  /** True if the types that are registered beside those of a group have this kind, in a version that is served or not. */
  isKnown(named: GroupVersionKind, besideGroup: string): boolean
  /** Finds a type by its OpenAPI name, `io.k8s.api.core.v1.Container`. */
  byOpenapiName(name: string): Schema | undefined
  /** The kind under which a type is registered, by its OpenAPI name. */
  kindOf(openapiName: string): GroupVersionKind | undefined
  /** The documentation of a type (`''`) and its fields, by its OpenAPI name; empty if there is none. */
  documentation(openapiName: string): Readonly<Record<string, string>>
  /** Changes with the schemas and the documentation. */
  stamp(): unknown
}

/** A type of `meta.k8s.io/v1`. */
export const metaSchema = (kinds: Kinds, kind: string): Schema => kinds.schema('meta.k8s.io', 'v1', kind)
