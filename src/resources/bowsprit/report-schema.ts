import { age } from '../../machinery/human-duration.ts'
import type { PrinterColumn, ResourceDefinition, SelectableFields } from '../../machinery/resource/definition.ts'
import type { Field, Schema, StructSchema } from '../../machinery/schema/schema.ts'
import { builtinSchema } from '../schema.ts'

const GROUP = 'bowsprit.dev'
export const META = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')
export const TEXT: Schema = { type: 'scalar', scalar: 'string', go: 'string' }
export const NUMBER: Schema = { type: 'scalar', scalar: 'int64', go: 'int64' }
export const DECIMAL: Schema = { type: 'scalar', scalar: 'float64', go: 'float64' }
/** Texts by name. */
export const TEXTS: Schema = { type: 'map', values: TEXT, go: 'map[string]string' }
export const FLAG: Schema = { type: 'scalar', scalar: 'bool', go: 'bool' }

const field = (schema: Schema, description: string | undefined): Field => ({
  schema,
  tag: 0,
  omitEmpty: true,
  ...(description === undefined ? {} : { description }),
})
export const list = (items: Schema): Schema => ({ type: 'list', items, go: `[]${items.go ?? ''}` })

/** Makes types of the reports that are computed for each request; `about` documents fields by name. */
export const reportStructs =
  (about: Readonly<Record<string, string>>) =>
  (name: string, fields: Readonly<Record<string, Schema>>): StructSchema => ({
    type: 'struct',
    name,
    openapiName: `dev.bowsprit.v1.${name}`,
    go: `v1.${name}`,
    required: [],
    fields: new Map(Object.entries(fields).map(([key, schema]) => [key, field(schema, about[key])])),
  })

/** How long ago the reported thing began: the creation time of the report. */
export const ageColumn = (description: string): PrinterColumn => ({
  name: 'Age',
  type: 'string',
  format: '',
  description,
  priority: 0,
  cell: ({ metadata }, now) => age(metadata.creationTimestamp, now),
})

interface ReportResource {
  readonly schema: () => StructSchema
  readonly columns: readonly PrinterColumn[]
  readonly selectableFields?: SelectableFields
  /** The name of its function or collection in the server's table of reports. */
  readonly report: string
}

/** A resource of reports: one for each pod (or node), under its name, computed for each request. */
export const reportResource = (
  names: ResourceDefinition['names'],
  made: ReportResource,
  scope: ResourceDefinition['scope'] = 'Namespaced',
): ResourceDefinition => computedResource(names, made, { scope, verbs: ['get'] })

/** A resource of reports that can be listed and watched. */
export const collectionResource = (
  names: ResourceDefinition['names'],
  made: ReportResource & Pick<ResourceDefinition, 'scope'>,
): ResourceDefinition => computedResource(names, made, { scope: made.scope, verbs: ['get', 'list', 'watch'] })

/** The same, where programs create reports about themselves: a review takes them. */
export const publishedResource = (
  names: ResourceDefinition['names'],
  made: ReportResource & Pick<ResourceDefinition, 'scope'>,
): ResourceDefinition => ({
  ...computedResource(names, made, { scope: made.scope, verbs: ['create', 'get', 'list', 'watch'] }),
  review: { review: names.plural },
})

/** A resource whose objects are created to be answered, and never stored. */
export const reviewResource = (names: ResourceDefinition['names'], schema: () => StructSchema): ResourceDefinition => ({
  group: GROUP,
  names,
  storageVersion: 'v1',
  versions: [{ version: 'v1', served: true, schema, columns: [] }],
  review: { review: names.plural },
  rules: {},
  scope: 'Cluster',
  verbs: ['create'],
})

function computedResource(
  names: ResourceDefinition['names'],
  { schema, columns, selectableFields, report }: ReportResource,
  served: Pick<ResourceDefinition, 'scope' | 'verbs'>,
): ResourceDefinition {
  return {
    group: GROUP,
    names,
    storageVersion: 'v1',
    versions: [{ version: 'v1', served: true, schema, columns, ...(selectableFields && { selectableFields }) }],
    report,
    rules: {},
    ...served,
  }
}
