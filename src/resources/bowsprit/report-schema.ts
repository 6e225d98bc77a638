import type { PrinterColumn, ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Field, Schema, StructSchema } from '../../machinery/schema/schema.ts'
import { builtinSchema } from '../schema.ts'

export const META = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')
export const TEXT: Schema = { type: 'scalar', scalar: 'string', go: 'string' }
export const NUMBER: Schema = { type: 'scalar', scalar: 'int64', go: 'int64' }
export const FLAG: Schema = { type: 'scalar', scalar: 'bool', go: 'bool' }

const field = (schema: Schema, description: string | undefined): Field => ({
  schema,
  tag: 0,
  omitEmpty: true,
  ...(description === undefined ? {} : { description }),
})
export const list = (items: Schema): Schema => ({ type: 'list', items, go: `[]${items.go ?? ''}` })

/** Types of the reports that are computed for each request; `about` documents fields by name. */
export function reportStruct(
  name: string,
  fields: Readonly<Record<string, Schema>>,
  about: Readonly<Record<string, string>>,
): StructSchema {
  return {
    type: 'struct',
    name,
    openapiName: `dev.bowsprit.v1.${name}`,
    go: `v1.${name}`,
    required: [],
    fields: new Map(Object.entries(fields).map(([key, schema]) => [key, field(schema, about[key])])),
  }
}

/** A resource of reports: one for each pod, under the pod's name, computed for each request. `report` is the name of the function. */
export function reportResource(
  names: ResourceDefinition['names'],
  made: { readonly schema: () => StructSchema; readonly columns: readonly PrinterColumn[]; readonly report: string },
): ResourceDefinition {
  const { schema, columns, report } = made
  return {
    group: 'bowsprit.dev',
    names,
    scope: 'Namespaced',
    storageVersion: 'v1',
    versions: [{ version: 'v1', served: true, schema, columns }],
    verbs: ['get'],
    report,
    rules: {},
  }
}
