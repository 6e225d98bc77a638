import { byKey } from '../../base/by-text.ts'
import { equalJson } from '../../machinery/equal.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { sortedKeys } from '../../machinery/sorted-keys.ts'
import { shownRule } from '../../machinery/structural/check-rules.ts'
import type { SchemaProps } from '../../machinery/structural/schema-props.ts'
import type { Column, DefinitionSpec, DefinitionVersion, SelectableField, Subresources } from './types.ts'

/**
 * Kubernetes' internal form: what all versions have in common (schema, subresources, columns, selectable fields) is at the top
 * (`spec.validation`, `spec.subresources`, …), and faults name it there.
 */
export interface InternalSpec {
  readonly validation?: SchemaProps | undefined
  readonly subresources?: Subresources | undefined
  readonly columns: readonly Column[]
  readonly selectableFields: readonly SelectableField[]
  readonly versions: readonly InternalVersion[]
}

export interface InternalVersion {
  readonly version: DefinitionVersion
  readonly schema?: DefinitionVersion['schema']
  readonly subresources?: Subresources | undefined
  readonly columns: readonly Column[]
  readonly selectableFields: readonly SelectableField[]
}

export function internalSpec(spec: DefinitionSpec): InternalSpec {
  const versions = spec.versions ?? []
  const first = versions[0]
  const same = (part: (v: DefinitionVersion) => unknown) =>
    versions.length > 0 && versions.every((v) => equalJson(part(v) ?? null, part(first ?? v) ?? null))
  const schema = same((v) => v.schema)
  const subresources = same((v) => v.subresources)
  const columns = same((v) => v.additionalPrinterColumns)
  const fields = same((v) => v.selectableFields)
  return {
    validation: schema ? first?.schema?.openAPIV3Schema : undefined,
    subresources: subresources ? first?.subresources : undefined,
    columns: columns ? (first?.additionalPrinterColumns ?? []) : [],
    selectableFields: fields ? (first?.selectableFields ?? []) : [],
    versions: versions.map((version) => ({
      version,
      schema: schema ? undefined : version.schema,
      subresources: subresources ? undefined : version.subresources,
      columns: columns ? [] : (version.additionalPrinterColumns ?? []),
      selectableFields: fields ? [] : (version.selectableFields ?? []),
    })),
  }
}

/** The versions as Go prints the internal type. */
export function shownVersions(spec: DefinitionSpec): unknown {
  if (spec.versions === null || spec.versions === undefined) return givenEmpty(spec, 'versions') ?? null
  return internalSpec(spec).versions.map(({ version: v, schema, subresources, columns, selectableFields }) => ({
    Name: v.name,
    Served: v.served,
    Storage: v.storage,
    Deprecated: v.deprecated ?? false,
    DeprecationWarning: v.deprecationWarning ?? null,
    Schema: schema === undefined ? null : { OpenAPIV3Schema: shownSchema(schema.openAPIV3Schema) },
    Subresources: subresources === undefined ? null : shownSubresources(subresources),
    AdditionalPrinterColumns: columns.length === 0 ? null : columns.map(shownColumn),
    SelectableFields: selectableFields.length === 0 ? null : selectableFields.map((f) => ({ JSONPath: f.jsonPath })),
  }))
}

const shownColumn = (c: Column) => ({
  Name: c.name,
  Type: c.type,
  Format: c.format ?? '',
  Description: c.description ?? '',
  Priority: c.priority ?? 0,
  JSONPath: c.jsonPath,
})

function shownSubresources(s: Subresources): unknown {
  const scale = s.scale && {
    SpecReplicasPath: s.scale.specReplicasPath,
    StatusReplicasPath: s.scale.statusReplicasPath,
    LabelSelectorPath: s.scale.labelSelectorPath ?? null,
  }
  return { Status: s.status === undefined ? null : {}, Scale: scale ?? null }
}

type MapField = 'properties' | 'patternProperties' | 'definitions' | 'dependencies'
type Dependency = NonNullable<SchemaProps['dependencies']>[string]

/** A schema as Go prints the internal type: every field by its Go name. */
export function shownSchema(s: SchemaProps | undefined): unknown {
  if (s === undefined) return null
  const absent = (field: keyof SchemaProps) => givenEmpty(s, field) ?? null
  const map = <M>(field: MapField, shown: (member: M) => unknown) => {
    const members = Object.entries((s[field] ?? {}) as Record<string, M>).sort(byKey)
    return members.length === 0 ? absent(field) : Object.fromEntries(members.map(([k, v]) => [k, shown(v)]))
  }
  const list = (field: 'allOf' | 'oneOf' | 'anyOf') => s[field]?.map(shownSchema) ?? absent(field)
  const orBool = (v: SchemaProps | boolean | undefined) =>
    v === undefined ? null : typeof v === 'boolean' ? { Allows: v, Schema: null } : { Allows: true, Schema: shownSchema(v) }
  return {
    ID: s.id ?? '',
    Schema: s.$schema ?? '',
    Ref: s.$ref ?? null,
    Description: s.description ?? '',
    Type: s.type ?? '',
    Nullable: s.nullable ?? false,
    Format: s.format ?? '',
    Title: s.title ?? '',
    Default: sortedKeys(s.default ?? null),
    Maximum: s.maximum ?? null,
    ExclusiveMaximum: s.exclusiveMaximum ?? false,
    Minimum: s.minimum ?? null,
    ExclusiveMinimum: s.exclusiveMinimum ?? false,
    MaxLength: s.maxLength ?? null,
    MinLength: s.minLength ?? null,
    Pattern: s.pattern ?? '',
    MaxItems: s.maxItems ?? null,
    MinItems: s.minItems ?? null,
    UniqueItems: s.uniqueItems ?? false,
    MultipleOf: s.multipleOf ?? null,
    Enum: s.enum?.map(sortedKeys) ?? absent('enum'),
    MaxProperties: s.maxProperties ?? null,
    MinProperties: s.minProperties ?? null,
    Required: s.required ?? absent('required'),
    Items:
      s.items === undefined
        ? null
        : s.items === null
          ? { Schema: null, JSONSchemas: null }
          : Array.isArray(s.items)
            ? { Schema: null, JSONSchemas: s.items.map(shownSchema) }
            : { Schema: shownSchema(s.items), JSONSchemas: null },
    AllOf: list('allOf'),
    OneOf: list('oneOf'),
    AnyOf: list('anyOf'),
    Not: shownSchema(s.not),
    Properties: map('properties', shownSchema),
    AdditionalProperties: orBool(s.additionalProperties),
    PatternProperties: map('patternProperties', shownSchema),
    Dependencies: map('dependencies', shownDependency),
    AdditionalItems: orBool(s.additionalItems),
    Definitions: map('definitions', shownSchema),
    ExternalDocs: s.externalDocs ? { Description: s.externalDocs.description ?? '', URL: s.externalDocs.url ?? '' } : null,
    Example: sortedKeys(s.example ?? null),
    XPreserveUnknownFields: s['x-kubernetes-preserve-unknown-fields'] ?? null,
    XEmbeddedResource: s['x-kubernetes-embedded-resource'] ?? false,
    XIntOrString: s['x-kubernetes-int-or-string'] ?? false,
    XListMapKeys: s['x-kubernetes-list-map-keys'] ?? absent('x-kubernetes-list-map-keys'),
    XListType: s['x-kubernetes-list-type'] ?? null,
    XMapType: s['x-kubernetes-map-type'] ?? null,
    XValidations: s['x-kubernetes-validations']?.map(shownRule) ?? absent('x-kubernetes-validations'),
  }
}

const shownDependency = (given: Dependency) =>
  given === null || Array.isArray(given) ? { Schema: null, Property: given } : { Schema: shownSchema(given), Property: null }
