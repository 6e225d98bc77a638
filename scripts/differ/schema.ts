import type { Json, JsonObject } from '../../src/machinery/object.ts'

/** A schema of OpenAPI v3, as far as the generator reads it. */
export interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly Json[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly version: string; readonly kind: string }[]
}

/** The last part of a reference: `Quantity`, `Time`. */
export const shortName = (reference: string): string => reference.slice(reference.lastIndexOf('.') + 1)

const PREFIX = '#/components/schemas/'

/** The schemas of one document of OpenAPI v3. */
export class Schemas {
  readonly #all: Readonly<Record<string, Schema>>

  constructor(all: Readonly<Record<string, Schema>>) {
    this.#all = all
  }

  /** A schema without a reference around it, and the short name of its type. */
  resolve(schema: Schema): { readonly schema: Schema; readonly type: string } {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref
    if (reference === undefined) return { schema, type: schema.type ?? '' }
    return { schema: this.#all[reference.slice(PREFIX.length)] ?? {}, type: shortName(reference) }
  }

  ofKind(group: string, version: string, kind: string): Schema | undefined {
    return Object.values(this.#all).find((schema) =>
      schema['x-kubernetes-group-version-kind']?.some((k) => k.group === group && k.version === version && k.kind === kind),
    )
  }
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object, or the items of a list by their indexes. */
export function membersOf(value: Json): [string, Json][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, member]]))
}

/** The schema of a member of an object, or of an item of a list. */
export function memberSchema(schema: Schema, name: string): Schema {
  if (schema.items !== undefined) return schema.items
  const { additionalProperties } = schema
  return schema.properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
}
