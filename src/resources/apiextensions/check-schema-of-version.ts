import type { Steps } from '../../base/steps.ts'
import { equalJson } from '../../machinery/equal.ts'
import { type FieldError, forbidden, invalid } from '../../machinery/field-error.ts'
import { checkDefaults } from '../../machinery/structural/check-defaults.ts'
import { checkRules } from '../../machinery/structural/check-rules.ts'
import { checkSchema } from '../../machinery/structural/check-schema.ts'
import { checkStructural } from '../../machinery/structural/check-structural.ts'
import { type SchemaProps, walkSchema } from '../../machinery/structural/schema-props.ts'
import { builtinSchema } from '../schema.ts'
import { shownSchema } from './internal-spec.ts'

const objectMeta = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')

/** Keywords that are allowed at the root of a schema with a status subresource. */
const AT_ROOT = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
]

/** The faults of one schema of a definition. `path` is that of `openAPIV3Schema`; `status`: the version has the status subresource. */
export function* checkSchemaOfVersion(schema: SchemaProps, path: string, status: boolean): Steps<FieldError[]> {
  const faults: FieldError[] = status ? rootFaults(schema, path) : []
  if (schema.nullable === true) faults.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'))
  const unsupported = unsupportedWord(schema)
  let structural: FieldError[] = []
  if (unsupported === undefined) {
    structural = yield* checkStructural(schema, path)
    if (structural.length === 0) structural = yield* checkDefaults(schema, path, objectMeta())
  }
  const open = yield* checkSchema(schema, path)
  faults.push(...structural, ...open.faults)
  const compile = structural.length === 0 && unsupported === undefined
  faults.push(...(yield* checkRules(schema, path, { compile, unsound: open.unsound })))
  if (faults.length === 0 && unsupported !== undefined) faults.push(invalid(path, '', unsupported))
  return faults
}

/** What Go prints of fields that are not set. */
const EMPTY = shownSchema({}) as Record<string, unknown>

function rootFaults(schema: SchemaProps, path: string): FieldError[] {
  const shown = shownSchema(schema) as Record<string, unknown>
  // The schema of the status is part of the object's schema: other types have none.
  if (schema.type && schema.type !== 'object') {
    const of = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    return [invalid(`${path}.type`, schema.type, of)]
  }
  if (Object.entries(shown).every(([name, value]) => AT_ROOT.includes(name) || equalJson(value, EMPTY[name]))) return []
  const why = `only [${AT_ROOT.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`
  return [invalid(path, shown, why)]
}

/** What Go's structural schema cannot represent of a schema; the innermost keywords come last. */
export function unsupportedWord(schema: SchemaProps): string | undefined {
  let found: string | undefined
  let closed = false
  walkSchema(schema, (s) => {
    if (s['x-kubernetes-preserve-unknown-fields'] === false) closed = true
    if (found !== undefined) return
    if (s.id) found = 'id'
    else if (s.$schema) found = 'schema'
    else if (s.$ref) found = '$ref'
    else if (s.additionalItems !== undefined && s.additionalItems !== null) found = 'additionalItems'
    else if (Object.keys(s.patternProperties ?? {}).length > 0) found = 'patternProperties'
    else if (s.dependencies !== undefined && s.dependencies !== null) found = 'dependencies'
    else if (Object.keys(s.definitions ?? {}).length > 0) found = 'definitions'
    else if (Array.isArray(s.items) && s.items.length > 0) found = 'items'
  })
  if (found !== undefined) return `OpenAPIV3Schema '${found}' is not supported`
  return closed ? "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined" : undefined
}
