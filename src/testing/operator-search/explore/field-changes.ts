import { cloneJson, isObject, type KubeObject } from '../../../machinery/object.ts'
import type { CustomResourceDefinition } from '../../../resources/types/apiextensions.ts'
import { exampleValue } from './example-value.ts'
import type { FieldValue } from './field-value.ts'
import { fieldValues } from './field-values.ts'
import { type SchemaField, schemaFields, valueAt } from './schema-fields.ts'

/** Another value for a field of a sample. */
export interface FieldChange extends FieldValue {
  readonly path: readonly string[]
  /** Whether the field holds other fields. */
  readonly isPart: boolean
  /** The schemas of what it is in, from `spec` on. */
  readonly parents: SchemaField['parents']
  /** The sample with that value. */
  readonly object: KubeObject
}

/** The changes of one sample. */
export interface FieldChanges {
  readonly changes: readonly FieldChange[]
  /** How many fields the schema has, and how many of them are changed. */
  readonly fields: { readonly found: number; readonly tried: number }
}

/** For each field of the schema, but not for more than `most`, the values that may matter. */
export function fieldChanges(sample: KubeObject, definition: CustomResourceDefinition, most: number): FieldChanges {
  const all = schemaFields(sample, definition)
  const fields = all.slice(0, most)
  return { changes: fields.flatMap((field) => changesOf(sample, field)), fields: { found: all.length, tried: fields.length } }
}

function changesOf(sample: KubeObject, { path, schema, parents, required, isPart }: SchemaField): FieldChange[] {
  const values = fieldValues(schema, valueAt(sample, path), { name: path.at(-1) ?? '', required })
  return values.map(({ value, sort }) => ({ path, value, sort, isPart, parents, object: withValue(sample, path, { value, parents }) }))
}

/** A copy of another object with the same change. */
export const withChange = (object: KubeObject, { path, value, parents }: FieldChange) => withValue(object, path, { value, parents })

/** A copy with this value; a value of undefined leaves the field out. Absent parts around it get what their schemas require. */
function withValue(object: KubeObject, path: readonly string[], { value, parents }: Pick<SchemaField, 'parents'> & { value: unknown }) {
  const copy = cloneJson(object)
  let at: Record<string, unknown> = copy as unknown as Record<string, unknown>
  for (const [i, name] of path.slice(0, -1).entries()) {
    const inner = at[name]
    const example = isObject(inner) ? undefined : exampleValue(parents[i] ?? {})
    const next = isObject(inner) ? inner : isObject(example) ? { ...example } : {}
    at[name] = next
    at = next
  }
  const last = path.at(-1) ?? ''
  if (value === undefined) delete at[last]
  else at[last] = value
  return copy as KubeObject
}

/** `spec.size` */
export const fieldName = ({ path }: Pick<FieldChange, 'path'>) => path.join('.')

/** `spec.size becomes 3` */
export const changeText = (change: Pick<FieldChange, 'path' | 'value'>) =>
  change.value === undefined ? `${fieldName(change)} is unset` : `${fieldName(change)} becomes ${JSON.stringify(change.value)}`
