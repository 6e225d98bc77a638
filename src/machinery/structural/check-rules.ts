import { Pace, type Steps } from '../../base/steps.ts'
import { UNBOUNDED } from '../cel/cost.ts'
import { estimateCost } from '../cel/cost-estimate.ts'
import { CostTotal, DEFINITION_ESTIMATE_LIMIT, excessText, RULE_ESTIMATE_LIMIT } from '../cel/cost-limits.ts'
import type { Program } from '../cel/program.ts'
import { mostOccurrences, sizesOf } from '../cel/schema/cel-size.ts'
import { type FieldError, forbidden, internalFault, invalid, notSupported, required } from '../field-error.ts'
import type { Schema } from '../schema/schema.ts'
import { type CompiledRule, RULE_ENVIRONMENT } from './compile-rule.ts'
import { FieldPathError } from './field-path.ts'
import { checkFieldPath, compileRules } from './rules.ts'
import {
  isEmbedded,
  isIntOrString,
  itemsOf,
  propertiesOf,
  rulesOf,
  type SchemaProps,
  type ValidationRule,
  valuesOf,
} from './schema-props.ts'
import { toSchema } from './to-schema.ts'

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** To compile and weigh a rule, and to look at a level of the schema, in microseconds. */
const WORK_OF_RULE = 50
const WORK_OF_LEVEL = 2
/** Most reported faults: a definition may have as many faulty rules as lines. */
const MOST_FAULTS = 1000

/**
 * The faults of the rules of a schema, in steps. `compile`: the schema is valid, so its rules can be compiled, except at paths in
 * `unsound`.
 */
export function* checkRules(
  schema: SchemaProps,
  path: string,
  options: { readonly compile: boolean; readonly unsound: ReadonlySet<SchemaProps> },
): Steps<FieldError[]> {
  const faults: FieldError[] = []
  const total = new CostTotal()
  yield* visit(schema, path, { ...options, root: true, atomic: undefined, times: 1, total, pace: new Pace() }, faults)
  if (total.total > DEFINITION_ESTIMATE_LIMIT) {
    for (const { path: at } of total.dearest)
      faults.push(forbidden(at, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'))
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    faults.push(forbidden(path, excessText(what, total.total, DEFINITION_ESTIMATE_LIMIT)))
  }
  return faults
}

interface RulesCheck {
  readonly compile: boolean
  readonly unsound: ReadonlySet<SchemaProps>
  readonly root: boolean
  /** Below this path old values cannot be correlated with new ones. */
  readonly atomic: string | undefined
  /** Most values of the schema in one object; undefined if unbounded. */
  readonly times: number | undefined
  readonly total: CostTotal
  readonly pace: Pace
}

/**
 * Checks the rules of a schema and of those below it. False if the form of one is wrong: Kubernetes then compiles no rule of this schema,
 * nor of those above it.
 */
function* visit(s: SchemaProps, path: string, context: RulesCheck, faults: FieldError[]): Steps<boolean> {
  if (faults.length >= MOST_FAULTS) return true
  if (context.pace.due(WORK_OF_LEVEL + WORK_OF_RULE * rulesOf(s).length)) yield
  const forms = rulesOf(s).flatMap((rule, i) => checkForm(rule, s, `${path}.x-kubernetes-validations[${i}]`))
  faults.push(...forms)
  let formed = forms.length === 0
  for (const child of below(s, path, context)) formed = (yield* visit(child.schema, child.path, child.context, faults)) && formed
  if (formed && context.compile && !context.unsound.has(s)) faults.push(...checkMeaning(s, path, context))
  return formed
}

interface Below {
  readonly schema: SchemaProps
  readonly path: string
  readonly context: RulesCheck
}

/** The schemas inside a schema, and what their rules may use. */
function below(s: SchemaProps, path: string, context: RulesCheck): readonly Below[] {
  const found: Below[] = []
  const inner = { ...context, root: false }
  const items = itemsOf(s)
  const values = valuesOf(s)
  const fields = { ...inner, atomic: context.atomic ?? (s['x-kubernetes-map-type'] === 'atomic' ? path : undefined) }
  const repeated = (limit: number | undefined) => (limit === undefined || context.times === undefined ? undefined : context.times * limit)
  if (values !== undefined)
    found.push({ schema: values, path: `${path}.additionalProperties`, context: { ...fields, times: repeated(s.maxProperties) } })
  for (const [name, schema] of propertiesOf(s)) found.push({ schema, path: `${path}.properties[${name}]`, context: fields })
  const atomic = context.atomic ?? (s['x-kubernetes-list-type'] === 'map' ? undefined : path)
  if (items !== undefined) found.push({ schema: items, path: `${path}.items`, context: { ...inner, atomic, times: repeated(s.maxItems) } })
  const uncompiled = { ...inner, compile: false }
  for (const word of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, schema] of (s[word] ?? []).entries()) found.push({ schema, path: `${path}.${word}[${i}]`, context: uncompiled })
  if (s.not !== undefined && s.not !== null) found.push({ schema: s.not, path: `${path}.not`, context: uncompiled })
  return found
}

function checkForm(rule: ValidationRule, schema: SchemaProps, path: string): FieldError[] {
  const faults: FieldError[] = []
  const at = (name: string) => `${path}.${name}`
  const text = (rule.rule ?? '').trim()
  const message = (rule.message ?? '').trim()
  const expression = (rule.messageExpression ?? '').trim()
  if (text === '') faults.push(required(at('rule'), 'rule is not specified'))
  else if (rule.message && message === '') faults.push(invalid(at('message'), rule.message, 'must be non-empty if specified'))
  else if (lines(message)) faults.push(invalid(at('message'), message, 'must not contain line breaks'))
  else if (lines(text) && message === '') faults.push(required(at('message'), 'message must be specified if rule contains line breaks'))
  if (rule.messageExpression && expression === '')
    faults.push(required(at('messageExpression'), 'messageExpression must be non-empty if specified'))
  if (rule.reason !== undefined && rule.reason !== null && !REASONS.includes(rule.reason))
    faults.push(notSupported(at('reason'), rule.reason, REASONS))
  return [...faults, ...checkPath(rule.fieldPath ?? '', schema, at('fieldPath'))]
}

const lines = (text: string) => /[\n\r]/.test(text)

function checkPath(path: string, schema: SchemaProps, at: string): FieldError[] {
  if (path === '') return []
  const faults: FieldError[] = []
  if (path.trim() === '') faults.push(invalid(at, path, 'must be non-empty if specified'))
  if (lines(path)) faults.push(invalid(at, path, 'must not contain line breaks'))
  if (!isFieldPath(path, schema)) faults.push(invalid(at, path, 'must be a valid path'))
  return faults
}

function isFieldPath(path: string, schema: SchemaProps): boolean {
  try {
    checkFieldPath(path, schema)
    return true
  } catch (error) {
    if (error instanceof FieldPathError) return false
    throw error
  }
}

function checkMeaning(s: SchemaProps, path: string, context: RulesCheck): FieldError[] {
  const faults: FieldError[] = []
  const written = rulesOf(s)
  if (written.length > 0 && !hasCelType(s)) return [internalFault(`${path}.x-kubernetes-validations`, NO_TYPE)]
  for (const [i, compiled] of compileRules(s, context.root || isEmbedded(s)).entries()) {
    const at = `${path}.x-kubernetes-validations[${i}]`
    const rule = written[i]
    if (rule === undefined || (rule.rule ?? '').trim() === '') continue
    if (compiled.fault !== undefined) faults.push(invalid(`${at}.rule`, shownRule(rule), compiled.fault))
    else if (compiled.messageFault !== undefined) faults.push(invalid(`${at}.messageExpression`, shownRule(rule), compiled.messageFault))
    const usesOldSelf = compiled.fault === undefined && compiled.usesOldSelf
    if (!usesOldSelf && rule.optionalOldSelf !== undefined && rule.optionalOldSelf !== null)
      faults.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'))
    if (compiled.fault !== undefined) continue
    faults.push(...checkCosts(compiled, s, at, context))
    if (usesOldSelf && context.atomic !== undefined)
      faults.push(
        invalid(`${at}.rule`, rule.rule, `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.atomic}`),
      )
  }
  return faults
}

const NO_TYPE =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'

/**
 * Whether rules can be about values of this schema. Kubernetes gives no type in CEL to what has none, nor to a collection of such values.
 */
function hasCelType(s: SchemaProps): boolean {
  if (isIntOrString(s)) return true
  const members = s.type === 'array' ? itemsOf(s) : valuesOf(s)
  if (members !== undefined) return hasCelType(members)
  return s.type !== undefined && s.type !== '' && s.type !== 'array'
}

function checkCosts(compiled: CompiledRule, s: SchemaProps, path: string, context: RulesCheck): FieldError[] {
  const faults: FieldError[] = []
  const schema = toSchema(s)
  const times = context.times ?? mostOccurrences(schema)
  if (compiled.program !== undefined) {
    const cost = Math.min(costOf(compiled.program, schema) * times, UNBOUNDED)
    if (cost > RULE_ESTIMATE_LIMIT) faults.push(forbidden(`${path}.rule`, excessText('estimated rule cost', cost, RULE_ESTIMATE_LIMIT)))
    context.total.add(`${path}.rule`, cost)
  }
  if (compiled.message !== undefined) {
    const cost = costOf(compiled.message, schema)
    if (cost > RULE_ESTIMATE_LIMIT)
      faults.push(forbidden(`${path}.messageExpression`, excessText('estimated messageExpression cost', cost, RULE_ESTIMATE_LIMIT)))
    context.total.add(`${path}.messageExpression`, cost)
  }
  return faults
}

const costOf = (program: Program, schema: Schema): number => estimateCost(program, RULE_ENVIRONMENT, sizesOf(schema)).max

/** The rule as Go prints the internal type. */
export function shownRule(rule: ValidationRule): object {
  return {
    Rule: rule.rule ?? '',
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }
}
