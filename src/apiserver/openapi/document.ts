import { createHash } from 'node:crypto'
import { byKey } from '../../base/by-text.ts'
import type { GroupVersionKind, JsonObject } from '../../machinery/object.ts'
import type { ResourceDefinition, ResourceVersion } from '../../machinery/resource/definition.ts'
import type { Field, Schema, StructSchema } from '../../machinery/schema/schema.ts'
import { type Kinds, metaSchema } from '../kinds.ts'
import { described, field, objectMetadata, typeMeta } from './custom-fields.ts'
import { type Operation, resourcePaths, type Served } from './operations.ts'
import type { KindsOf } from './schema-document.ts'

export interface GroupVersion {
  readonly group: string
  readonly version: string
}

export const INFO: JsonObject = { title: 'Kubernetes', version: '1.36' }
/** Of a document that holds custom resources alone. */
export const CUSTOM_INFO: JsonObject = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
export const BEARER: JsonObject = { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' }

/** The paths of all served resources of a group version, each with its operations. */
export function groupVersionPaths(kinds: Kinds, definitions: readonly ResourceDefinition[], gv: GroupVersion): Map<string, Operation[]> {
  const paths = new Map<string, Operation[]>()
  for (const definition of definitions) {
    if (definition.group !== gv.group) continue
    for (const version of definition.versions) {
      if (!version.served || version.version !== gv.version) continue
      for (const [path, operations] of resourcePaths(kinds, serve(kinds, definition, version))) paths.set(path, operations)
    }
  }
  return new Map([...paths].sort(byKey))
}

function serve(kinds: Kinds, definition: ResourceDefinition, version: ResourceVersion): Served {
  const { group, names } = definition
  const listKind = names.listKind ?? `${names.kind}List`
  if (definition.customDefinition === undefined) {
    const list = kinds.has(group, version.version, listKind) ? kinds.schema(group, version.version, listKind) : version.schema()
    return { definition, version, object: version.schema(), list }
  }
  const named = customObject(kinds, version.schema(), `${reversed(group)}.${version.version}.${names.kind}`)
  const object = withSelectable(named, version)
  const list = listOf(kinds, object, `${reversed(group)}.${version.version}.${listKind}`, names.kind)
  return { definition, version, object, list: withSelectable(list, version) }
}

/** Names the fields by which clients may select objects. */
function withSelectable(schema: Schema, { selectableFields = {} }: ResourceVersion): Schema {
  const paths = Object.keys(selectableFields)
  if (paths.length === 0) return schema
  const named = { 'x-kubernetes-selectable-fields': paths.map((fieldPath) => ({ fieldPath })) }
  return { ...schema, constraints: { ...schema.constraints, ...named } }
}

const reversed = (group: string) => group.split('.').reverse().join('.')

/** A custom resource's schema contains little or nothing about apiVersion, kind and metadata; this adds them. */
function customObject(kinds: Kinds, schema: Schema, openapiName: string): Schema {
  if (schema.type !== 'struct') return { ...typeMeta(kinds), type: 'struct', openapiName, preserveUnknown: true }
  const own = typeMeta(kinds)
  return {
    ...schema,
    openapiName,
    fields: new Map([...own.fields, ['metadata', objectMetadata(kinds)], ...withoutMeta(schema)]),
  }
}

const withoutMeta = (schema: StructSchema) => [...schema.fields].filter(([name]) => !['apiVersion', 'kind', 'metadata'].includes(name))

function listOf(kinds: Kinds, object: Schema, openapiName: string, kind: string): Schema {
  const items = field({ type: 'list', items: object, description: `List of ${kind} objects.` })
  const metadata: Field = {
    ...field(metaSchema(kinds, 'ListMeta')),
    ...described(kinds, 'io.k8s.api.core.v1.ConfigMapList', 'metadata'),
    pointer: true,
  }
  return {
    type: 'struct',
    openapiName,
    description: `${kind}List is a list of ${kind}`,
    required: ['items'],
    fields: new Map([...typeMeta(kinds).fields, ['items', items], ['metadata', metadata]]),
  }
}

/**
 * The kinds of each component; kinds other than Kubernetes' own come from their definitions. Options and watch events belong to every group
 * version (`everywhere`).
 */
export function kindsOf(kinds: Kinds, definitions: readonly ResourceDefinition[], everywhere: readonly GroupVersion[]): KindsOf {
  const custom = new Map<string, GroupVersionKind>()
  for (const { group, names, versions, customDefinition, report } of definitions) {
    if (customDefinition === undefined && report === undefined) continue
    for (const { version } of versions) {
      const listKind = names.listKind ?? `${names.kind}List`
      for (const kind of [names.kind, listKind]) custom.set(`${reversed(group)}.${version}.${kind}`, { group, version, kind })
    }
  }
  return (name) => {
    const known = custom.get(name) ?? kinds.kindOf(name)
    if (known !== undefined) return [known]
    const kind = name.startsWith('io.k8s.apimachinery.pkg.apis.meta.v1.') ? name.slice('io.k8s.apimachinery.pkg.apis.meta.v1.'.length) : ''
    if (EVERYWHERE.has(kind)) return everywhere.map((gv) => ({ ...gv, kind }))
    return META_KINDS.has(kind) ? [{ group: '', version: 'v1', kind }] : []
  }
}

const EVERYWHERE = new Set(['DeleteOptions', 'WatchEvent'])
const META_KINDS = new Set(['APIVersions', 'APIResourceList', 'APIGroup', 'APIGroupList', 'Status'])

/** The group versions that have a served resource, sorted. */
export function servedGroupVersions(definitions: readonly ResourceDefinition[]): GroupVersion[] {
  const all = new Map<string, GroupVersion>()
  for (const { group, versions } of definitions)
    for (const v of versions) if (v.served) all.set(`${group}/${v.version}`, { group, version: v.version })
  return [...all].sort(byKey).map(([, gv]) => gv)
}

/** The hash in the URL of a document: clients cache documents by it. */
export function documentHash(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase()
}
