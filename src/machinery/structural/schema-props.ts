import type { Json } from '../object.ts'

/** `JSONSchemaProps` of apiextensions.k8s.io/v1 as decoded: without empty and unknown fields. */
export interface SchemaProps {
  id?: string
  $schema?: string
  $ref?: string
  description?: string
  type?: string
  format?: string
  title?: string
  default?: Json
  maximum?: number
  exclusiveMaximum?: boolean
  minimum?: number
  exclusiveMinimum?: boolean
  maxLength?: number
  minLength?: number
  pattern?: string
  maxItems?: number
  minItems?: number
  uniqueItems?: boolean
  multipleOf?: number
  enum?: Json[] | null
  maxProperties?: number
  minProperties?: number
  required?: string[]
  items?: SchemaProps | SchemaProps[]
  allOf?: SchemaProps[]
  oneOf?: SchemaProps[]
  anyOf?: SchemaProps[]
  not?: SchemaProps
  properties?: Record<string, SchemaProps>
  additionalProperties?: SchemaProps | boolean
  patternProperties?: Record<string, SchemaProps>
  dependencies?: Record<string, SchemaProps | string[] | null>
  additionalItems?: SchemaProps | boolean
  definitions?: Record<string, SchemaProps>
  externalDocs?: { description?: string; url?: string } | null
  example?: Json
  nullable?: boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-list-type'?: string
  'x-kubernetes-map-type'?: string
  'x-kubernetes-validations'?: ValidationRule[]
}

/** One of `x-kubernetes-validations`. */
export interface ValidationRule {
  rule: string
  message?: string
  messageExpression?: string
  reason?: string
  fieldPath?: string
  optionalOldSelf?: boolean
}

export const preserves = (s: SchemaProps | undefined): boolean => s?.['x-kubernetes-preserve-unknown-fields'] === true
export const isEmbedded = (s: SchemaProps | undefined): boolean => s?.['x-kubernetes-embedded-resource'] === true
export const isIntOrString = (s: SchemaProps | undefined): boolean => s?.['x-kubernetes-int-or-string'] === true
export const rulesOf = (s: SchemaProps): readonly ValidationRule[] => s['x-kubernetes-validations'] ?? []

/** The schema of list items, if all items have one. */
export const itemsOf = (s: SchemaProps | undefined): SchemaProps | undefined =>
  s?.items === undefined || s.items === null || Array.isArray(s.items) ? undefined : s.items

/** The schema of the values of a map. */
export const valuesOf = (s: SchemaProps | undefined): SchemaProps | undefined =>
  typeof s?.additionalProperties === 'object' && s.additionalProperties !== null ? s.additionalProperties : undefined

export const propertyOf = (s: SchemaProps | undefined, name: string): SchemaProps | undefined =>
  s?.properties !== undefined && s.properties !== null && Object.hasOwn(s.properties, name) ? s.properties[name] : undefined

/** Properties by name, sorted. */
export function propertiesOf(s: SchemaProps): [string, SchemaProps][] {
  const properties = s.properties ?? {}
  const sorted: [string, SchemaProps][] = []
  // Sorting without a function of one's own is several times as fast: there may be a hundred thousand names.
  for (const name of Object.keys(properties).sort()) {
    const property = properties[name]
    if (property !== undefined) sorted.push([name, property])
  }
  return sorted
}

/** Calls `visit` for this schema and every nested one. */
export function walkSchema(s: SchemaProps, visit: (schema: SchemaProps) => void): void {
  visit(s)
  const below = (schema: SchemaProps | undefined | null) => {
    if (schema !== undefined && schema !== null) walkSchema(schema, visit)
  }
  for (const list of [s.allOf, s.oneOf, s.anyOf, Array.isArray(s.items) ? s.items : undefined]) list?.forEach(below)
  below(itemsOf(s))
  below(valuesOf(s))
  below(s.not)
  for (const map of [s.properties, s.patternProperties, s.definitions]) for (const name in map) below(map[name])
}
