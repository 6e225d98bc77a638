import type { JsonObject, KubeObject } from '../../machinery/object.ts'

/** What a custom object would be in the other versions of its kind: `bowsprit.dev/v1 ObjectConversion`. Created, never stored. */
export interface ObjectConversion extends KubeObject {
  readonly spec: { readonly object: JsonObject }
  /** One for each other version, in the order of the definition. */
  readonly status?: { readonly versions: readonly ConvertedObject[] }
}

export interface ConvertedObject {
  readonly apiVersion: string
  /** Absent: it cannot be converted. */
  readonly object?: JsonObject
  readonly error?: string
  readonly milliseconds: number
}
