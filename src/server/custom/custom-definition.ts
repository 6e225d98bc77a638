import assert from 'node:assert/strict'
import { byPriority } from '../../apiserver/discovery/groups.ts'
import { andThen } from '../../base/steps.ts'
import { equalJson } from '../../machinery/equal.ts'
import { asJson, cloneJson, type KubeObject, type ObjectMeta } from '../../machinery/object.ts'
import type { Converter, ResourceDefinition, ResourceVersion, Subresource } from '../../machinery/resource/definition.ts'
import { decodeObject } from '../../machinery/schema/decode.ts'
import type { Field, Schema, StructSchema } from '../../machinery/schema/schema.ts'
import { fillDefaults } from '../../machinery/structural/fill-defaults.ts'
import { prune } from '../../machinery/structural/prune.ts'
import { preserves, type SchemaProps } from '../../machinery/structural/schema-props.ts'
import { toSchema } from '../../machinery/structural/to-schema.ts'
import { customColumns, fieldText } from '../../resources/apiextensions/custom-columns.ts'
import type { CustomResourceDefinition, DefinitionSpec, DefinitionVersion, Subresources } from '../../resources/apiextensions/types.ts'
import { isTrue } from '../../resources/apiextensions/types.ts'
import { builtinSchema } from '../../resources/schema.ts'
import { type ConversionDeps, webhookConverter } from './convert-webhook.ts'
import { customDecoder } from './custom-decoder.ts'
import { customRules } from './custom-rules.ts'

/** The resource definition of a CustomResourceDefinition. `deps` is needed for conversion by webhook. */
export function customDefinition(crd: CustomResourceDefinition, deps?: ConversionDeps): ResourceDefinition {
  const { spec, status } = crd
  const versions = [...(spec.versions ?? [])].sort((a, b) => byPriority(a.name, b.name))
  const storage = versions.find((v) => v.storage)?.name ?? versions[0]?.name ?? ''
  const names = status.acceptedNames
  const terminating = isTrue(crd, 'Terminating')
  const ruled = versions.map((v) => ({ name: v.name, schema: schemaOf(v), subresources: v.subresources }))
  const converter = converterOf(crd, deps)
  return {
    group: spec.group,
    names: {
      kind: names.kind,
      listKind: names.listKind ?? `${names.kind}List`,
      plural: names.plural,
      singular: names.singular ?? '',
      ...(names.shortNames?.length && { shortNames: names.shortNames }),
      ...(names.categories?.length && { categories: names.categories }),
    },
    scope: spec.scope,
    versions: versions.map((v) => customVersion(spec, v, versions)),
    storageVersion: storage,
    storedInOthers: (status.storedVersions ?? []).length > 1,
    convert: pruning(crd, converter),
    convertUnpruned: converter,
    readBack: (object) => {
      const stored = versions.find((v) => v.name === storage)
      if (stored !== undefined) fillDefaults(object, schemaOf(stored))
    },
    internalMetadata: typedMetadata,
    rules: customRules({ group: spec.group, kind: names.kind }, ruled, terminating),
    customDefinition: crd.metadata.name ?? '',
    fingerprint: `${crd.metadata.uid}/${crd.metadata.generation}/${JSON.stringify(names)}`,
  }
}

const objectMeta = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')

/** Tables and partial metadata have the Go type of metadata, whose fields are not in the order of their names. */
const typedMetadata = ({ metadata }: KubeObject): ObjectMeta => decodeObject(objectMeta(), asJson(metadata), { share: true }).object

const ANYTHING: SchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

export const schemaOf = (version: DefinitionVersion): SchemaProps => version.schema?.openAPIV3Schema ?? ANYTHING

function customVersion(spec: DefinitionSpec, version: DefinitionVersion, all: readonly DefinitionVersion[]): ResourceVersion {
  const props = schemaOf(version)
  let schema: Schema | undefined
  const warning = deprecation(spec, version, all)
  return {
    version: version.name,
    served: version.served,
    schema: () => {
      schema ??= objectSchema(props, spec.preserveUnknownFields === true)
      return schema
    },
    decode: customDecoder(props, spec.preserveUnknownFields === true),
    columns: customColumns(version.additionalPrinterColumns),
    subresources: subresources(version.subresources),
    selectableFields: Object.fromEntries(
      (version.selectableFields ?? []).map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), fieldText(jsonPath)]),
    ),
    ...(warning !== undefined && { deprecationWarning: warning }),
  }
}

const anyField = (schema: Schema): Field => ({ schema, tag: 0, omitEmpty: true })
const TEXT: Schema = { type: 'scalar', scalar: 'string' }

/** The schema with the fields of every object. */
function objectSchema(props: SchemaProps, preserveAll: boolean): Schema {
  const made = toSchema(props)
  const own: StructSchema = made.type === 'struct' ? made : { type: 'struct', fields: new Map(), required: [], preserveUnknown: true }
  const fields = wholeObjectFields(own.fields)
  for (const [name, field] of fields) fields.set(name, { ...field, schema: withEmbeddedObjects(field.schema) })
  return { ...own, fields, ...(preserves(props) || preserveAll ? { preserveUnknown: true } : {}) }
}

/** These fields, and before them those that every object has. */
function wholeObjectFields(own: ReadonlyMap<string, Field>): Map<string, Field> {
  const fields = new Map<string, Field>([
    ['apiVersion', anyField(TEXT)],
    ['kind', anyField(TEXT)],
    ['metadata', anyField(objectMeta())],
  ])
  for (const [name, field] of own) if (!fields.has(name)) fields.set(name, field)
  return fields
}

/** The same schema for every use of a part, as `toSchema` has it. */
const embeddedObjects = new WeakMap<Schema, Schema>()

/** The schema in which objects inside the object (`x-kubernetes-embedded-resource`) have what every object has, too. */
function withEmbeddedObjects(schema: Schema): Schema {
  if (schema.type === 'scalar' || schema.type === 'any') return schema
  let known = embeddedObjects.get(schema)
  if (known === undefined) {
    known = addEmbeddedObjects(schema)
    embeddedObjects.set(schema, known)
  }
  return known
}

function addEmbeddedObjects(schema: Schema): Schema {
  if (schema.type === 'list') {
    const items = withEmbeddedObjects(schema.items)
    return items === schema.items ? schema : { ...schema, items }
  }
  if (schema.type === 'map') {
    const values = withEmbeddedObjects(schema.values)
    return values === schema.values ? schema : { ...schema, values }
  }
  // The types of built-in kinds embed no objects.
  if (schema.type !== 'struct' || schema.go !== undefined) return schema
  const fields = schema.embedded === true ? wholeObjectFields(schema.fields) : new Map(schema.fields)
  let same = schema.embedded !== true
  for (const [name, field] of fields) {
    const below = withEmbeddedObjects(field.schema)
    if (below === field.schema) continue
    fields.set(name, { ...field, schema: below })
    same = false
  }
  return same ? schema : { ...schema, fields }
}

function subresources(given: Subresources | undefined): Readonly<Record<string, Subresource>> {
  const made: Record<string, Subresource> = {}
  if (given?.status !== undefined && given.status !== null)
    made.status = { kind: 'status', rules: { prepareForUpdate: keepAllButStatus, resetFields: STATUS_RESETS } }
  if (given?.scale !== undefined && given.scale !== null) {
    const { specReplicasPath, statusReplicasPath, labelSelectorPath } = given.scale
    made.scale = {
      kind: 'scale',
      specReplicas: steps(specReplicasPath),
      statusReplicas: steps(statusReplicasPath),
      ...(labelSelectorPath ? { selector: steps(labelSelectorPath) } : {}),
    }
  }
  return made
}

const STATUS_RESETS = { status: [['metadata'], ['spec']] }

/** The status subresource of a custom object writes only the status, not even labels. */
function keepAllButStatus(draft: KubeObject, old: KubeObject): void {
  const { managedFields } = draft.metadata
  const { managedFields: _, ...metadata } = old.metadata
  draft.metadata = { ...metadata, ...(managedFields && { managedFields }) }
}

const steps = (path: string) => path.replace(/^\./, '').split('.')

/** The warning of a deprecated version: that of the definition, or one with the version to use. */
function deprecation(spec: DefinitionSpec, version: DefinitionVersion, all: readonly DefinitionVersion[]): string | undefined {
  if (version.deprecated !== true) return undefined
  if (version.deprecationWarning !== undefined && version.deprecationWarning !== null) return version.deprecationWarning
  const { kind } = spec.names
  const better = all.find((v) => v.served && v.deprecated !== true && byPriority(v.name, version.name) < 0)
  const text = `${spec.group}/${version.name} ${kind} is deprecated`
  return better === undefined ? text : `${text}; use ${spec.group}/${better.name} ${kind}`
}

/** Converts by apiVersion only or by webhook. */
function converterOf(crd: CustomResourceDefinition, deps: ConversionDeps | undefined): Converter {
  const { conversion } = crd.spec
  if (conversion?.strategy !== 'Webhook')
    return (objects, to) => objects.map((o) => (o.apiVersion === to ? o : { ...cloneJson(o), apiVersion: to }))
  assert(deps !== undefined, 'invariant: a definition that is converted by a webhook comes with what calls it')
  return webhookConverter(conversion, crd.spec.names.kind, deps)
}

/** Drops fields that the new version does not have from what the converter returns. */
function pruning(crd: CustomResourceDefinition, converter: Converter): Converter {
  if (crd.spec.preserveUnknownFields === true) return converter
  const schemas = new Map((crd.spec.versions ?? []).map((v) => [`${crd.spec.group}/${v.name}`, schemaOf(v)]))
  return (objects, to) =>
    andThen(converter(objects, to), (converted) => {
      for (const [i, object] of converted.entries()) {
        const schema = schemas.get(object.apiVersion)
        if (object !== objects[i] && schema !== undefined) prune(object, schema, true)
      }
      return converted
    })
}

/** A stored object according to its version's current schema: without unknown fields, with defaults. Undefined: unchanged. */
export function asDefinedNow(crd: CustomResourceDefinition, object: KubeObject): KubeObject | undefined {
  const version = (crd.spec.versions ?? []).find((v) => `${crd.spec.group}/${v.name}` === object.apiVersion)
  if (version === undefined) return undefined
  const draft = cloneJson(object)
  const schema = schemaOf(version)
  if (crd.spec.preserveUnknownFields !== true) prune(draft, schema, true)
  fillDefaults(draft, schema)
  return equalJson(draft, object) ? undefined : draft
}
