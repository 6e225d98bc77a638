import type { Field, Schema, StructSchema } from '../../machinery/schema/schema.ts'
import type { Kinds } from '../kinds.ts'

export const field = (schema: Schema): Field => ({ schema, tag: 0, omitEmpty: true })

/** Kubernetes' documentation of a field that every object has. */
export function described(kinds: Kinds, type: string, name: string): { description?: string } {
  const text = kinds.documentation(type)[name]
  return text === undefined ? {} : { description: text }
}

/** The fields apiVersion and kind of every object. */
export function typeMeta(kinds: Kinds): StructSchema {
  const fields = new Map<string, Field>()
  const status = kinds.schema('meta.k8s.io', 'v1', 'Status')
  if (status.type === 'struct')
    for (const name of ['apiVersion', 'kind'])
      fields.set(name, {
        ...(status.fields.get(name) ?? field({ type: 'scalar', scalar: 'string' })),
        ...described(kinds, 'io.k8s.apimachinery.pkg.apis.meta.v1.Status', name),
      })
  return { type: 'struct', required: [], fields }
}

/** Metadata of a custom object: unlike that of a Go type, it has no zero value. */
export const objectMetadata = (kinds: Kinds): Field => ({
  ...field(kinds.schema('meta.k8s.io', 'v1', 'ObjectMeta')),
  ...described(kinds, 'io.k8s.api.core.v1.ConfigMap', 'metadata'),
  pointer: true,
})
