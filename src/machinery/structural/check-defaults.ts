import { equalJson } from '../equal.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { cloneJson, type Json } from '../object.ts'
import { DecodeError } from '../schema/decode.ts'
import type { Schema } from '../schema/schema.ts'
import { checkEmbedded, coerceEmbedded } from './embedded-meta.ts'
import { prune } from './prune.ts'
import { hasRules, runRules } from './rules.ts'
import { isEmbedded, itemsOf, propertiesOf, type SchemaProps } from './schema-props.ts'
import { validateValue } from './validator.ts'

/** What is wrong with the defaults of a structural schema: each must be valid by its own schema, and have no unknown fields. */
export function checkDefaults(schema: SchemaProps, path: string, objectMeta: Schema): FieldError[] {
  const faults: FieldError[] = []
  if (schema.default !== undefined && schema.default !== null)
    faults.push(...checkDefault(schema, schema.default, `${path}.default`, objectMeta))
  const items = itemsOf(schema)
  if (items !== undefined) faults.push(...checkDefaults(items, `${path}.items`, objectMeta))
  for (const [name, property] of propertiesOf(schema)) faults.push(...checkDefaults(property, `${path}.properties[${name}]`, objectMeta))
  return faults
}

function checkDefault(schema: SchemaProps, value: Json, path: string, objectMeta: Schema): FieldError[] {
  const pruned = cloneJson(value)
  prune(pruned, schema, isEmbedded(schema))
  if (!equalJson(pruned, value)) return [invalid(path, value, 'must not have unknown fields')]
  const coerced = cloneJson(value)
  try {
    coerceEmbedded(coerced, schema, objectMeta)
  } catch (error) {
    if (error instanceof DecodeError) return [invalid(path, value, error.message)]
    throw error
  }
  const embedded = checkEmbedded(coerced, schema, { path })
  if (embedded.length > 0) return embedded
  const faults = validateValue(schema, value, { base: path, anyIntOrString: true })
  if (faults.length > 0 || !hasRules(schema)) return faults
  return runRules(schema, value, { path, root: isEmbedded(schema), old: undefined })
}
