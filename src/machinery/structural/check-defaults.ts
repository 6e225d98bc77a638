import { Pace, type Steps } from '../../base/steps.ts'
import { equalJson } from '../equal.ts'
import { type FieldError, invalid, MAX_FAULTS } from '../field-error.ts'
import { cloneJson, type Json } from '../object.ts'
import type { Schema } from '../schema/schema.ts'
import { sortedKeys } from '../sorted-keys.ts'
import { checkEmbedded, coerceEmbedded, EmbeddedTypeError } from './embedded-meta.ts'
import { prune } from './prune.ts'
import { type CostBudget, hasRules, requestBudget, ruleSteps } from './rules.ts'
import { isEmbedded, itemsOf, propertiesOf, type SchemaProps } from './schema-props.ts'
import { validateInSteps } from './validator.ts'

/**
 * What is wrong with the defaults of a structural schema: each must be valid by its own schema, and have no unknown fields. In steps; the
 * rules of all defaults share one budget, as those of one object do.
 */
export function* checkDefaults(schema: SchemaProps, path: string, objectMeta: Schema): Steps<FieldError[]> {
  const faults: FieldError[] = []
  yield* visit(schema, path, { faults, whole: schema, objectMeta, budget: requestBudget(), pace: new Pace() })
  return faults
}

interface DefaultsCheck {
  readonly faults: FieldError[]
  /** The schema of the whole object: its default is an object with a kind and metadata, too. */
  readonly whole: SchemaProps
  readonly objectMeta: Schema
  readonly budget: CostBudget
  readonly pace: Pace
}

/** What one default costs at least, in microseconds: it is copied, pruned and validated. */
const WORK_OF_DEFAULT = 20

function* visit(schema: SchemaProps, path: string, context: DefaultsCheck): Steps<void> {
  const { faults, pace } = context
  if (faults.length >= MAX_FAULTS) return
  const given = schema.default !== undefined && schema.default !== null
  if (pace.due(given ? WORK_OF_DEFAULT : 1)) yield
  if (given) faults.push(...(yield* checkDefault(schema, schema.default ?? null, `${path}.default`, context)))
  const items = itemsOf(schema)
  if (items !== undefined) yield* visit(items, `${path}.items`, context)
  for (const [name, property] of propertiesOf(schema)) yield* visit(property, `${path}.properties[${name}]`, context)
}

function* checkDefault(schema: SchemaProps, value: Json, path: string, context: DefaultsCheck): Steps<FieldError[]> {
  const root = schema === context.whole || isEmbedded(schema)
  const pruned = cloneJson(value)
  prune(pruned, schema, root)
  const unknown = equalJson(pruned, value) ? [] : [invalid(path, sortedKeys(value), 'must not have unknown fields')]
  return [...unknown, ...(yield* checkValue(schema, value, { ...context, path, root }))]
}

function* checkValue(
  schema: SchemaProps,
  value: Json,
  { path, root, objectMeta, budget }: DefaultsCheck & { readonly path: string; readonly root: boolean },
): Steps<FieldError[]> {
  const coerced = cloneJson(value)
  try {
    coerceEmbedded(coerced, schema, objectMeta, { path, root })
  } catch (error) {
    if (error instanceof EmbeddedTypeError) return [error.fault]
    throw error
  }
  const embedded = checkEmbedded(coerced, schema, { path, root })
  if (embedded.length > 0) return embedded
  const faults = yield* validateInSteps(schema, value, { base: path, anyIntOrString: true })
  if (faults.length > 0 || !hasRules(schema)) return faults
  return yield* ruleSteps(schema, value, { path, root, old: undefined, budget })
}
