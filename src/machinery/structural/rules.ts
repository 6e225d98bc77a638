import { atOnce, type Steps } from '../../base/steps.ts'
import { PER_CALL_LIMIT, PER_REQUEST_BUDGET } from '../cel/cost-limits.ts'
import { CostError, type Meter } from '../cel/plan/meter.ts'
import { celTypeOf } from '../cel/schema/cel-type.ts'
import { celValueOf } from '../cel/schema/cel-value.ts'
import { CelError, Optional, type Value } from '../cel/values.ts'
import { equalJson } from '../equal.ts'
import { duplicate, type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { encodeJson } from '../json/strict-json.ts'
import { isObject, type Json, type JsonObject } from '../object.ts'
import { anyInside } from './any-inside.ts'
import { type CompiledRule, compileRule } from './compile-rule.ts'
import { followFieldPath } from './field-path.ts'
import { itemsOf, propertyOf, rulesOf, type SchemaProps, valuesOf } from './schema-props.ts'
import { toSchema } from './to-schema.ts'

const LONGEST_MESSAGE = 5120

export interface RulesOptions {
  /** Precedes the paths of faults. */
  readonly path?: string
  /** The previous object, for transition rules, and for ratcheting: old faults are tolerated. */
  readonly old?: unknown
  /** A whole object: rules can access its metadata. Default true. */
  readonly root?: boolean
  /** Default: the budget of one request. */
  readonly budget?: CostBudget
}

/** How many units of cost rules may still spend; negative: no more rules are run. */
export interface CostBudget {
  left: number
  /** How many were spent since others had their turn. */
  sinceStep: number
}

export const requestBudget = (): CostBudget => ({ left: PER_REQUEST_BUDGET, sinceStep: 0 })

/** Whether a schema has rules anywhere. */
export function hasRules(schema: SchemaProps): boolean {
  return nodeOf(schema, false).any
}

/** Runs the rules of a schema over a value. One that cannot be compiled is a fault: of a default, in a definition that is not accepted. */
export function runRules(schema: SchemaProps, value: unknown, options: RulesOptions = {}): FieldError[] {
  return atOnce(ruleSteps(schema, value, options))
}

/** Runs the rules in steps, which end at a bound of cost. */
export function* ruleSteps(schema: SchemaProps, value: unknown, options: RulesOptions = {}): Steps<FieldError[]> {
  const node = nodeOf(schema, options.root !== false)
  if (!node.any) return []
  const run = new Run(options.budget ?? requestBudget())
  yield* run.visit(node, value, { path: options.path ?? '', old: options.old, correlated: true })
  return run.faults
}

/** Cost units of one step, some 10 ms; one rule may exceed it, up to its own limit. */
const UNITS_PER_STEP = 100_000
/** Cost units of visiting a value, and of starting a rule. */
const UNITS_OF_VISIT = 10
const UNITS_OF_RULE = 50
/** Most reported faults: every value may violate a rule. */
const MOST_FAULTS = 1000

interface Node {
  readonly schema: SchemaProps
  readonly root: boolean
  readonly any: boolean
  readonly rules: () => readonly CompiledRule[]
}

const nodes = new WeakMap<SchemaProps, Map<boolean, Node>>()

function nodeOf(schema: SchemaProps, root: boolean): Node {
  const byRoot = nodes.get(schema) ?? new Map<boolean, Node>()
  nodes.set(schema, byRoot)
  let node = byRoot.get(root)
  if (node === undefined) {
    let rules: readonly CompiledRule[] | undefined
    node = {
      schema,
      root,
      any: anyRules(schema),
      rules: () => {
        rules ??= compileRules(schema, root)
        return rules
      },
    }
    byRoot.set(root, node)
  }
  return node
}

const anyRules = anyInside((schema) => rulesOf(schema).length > 0)

/** The rules of one level; empty if expressions cannot access its values. */
export function compileRules(schema: SchemaProps, root: boolean): readonly CompiledRule[] {
  const rules = rulesOf(schema)
  if (rules.length === 0) return []
  const type = celTypeOf(toSchema(schema), { name: 'self', root: root || schema['x-kubernetes-embedded-resource'] === true })
  return type === undefined ? [] : rules.map((rule) => compileRule(rule, type))
}

interface RulePosition {
  readonly path: string
  readonly old: unknown
  /** The old value that corresponds to this one. */
  readonly correlated: boolean
}

class Run {
  readonly faults: FieldError[] = []
  readonly #budget: CostBudget

  constructor(budget: CostBudget) {
    this.#budget = budget
  }

  get #over(): boolean {
    return this.#budget.left < 0 || this.faults.length >= MOST_FAULTS
  }

  *visit(node: Node, value: unknown, place: RulePosition): Steps<void> {
    if (!node.any || value === null || value === undefined || this.#over) return
    this.#budget.sinceStep += UNITS_OF_VISIT
    const { schema } = node
    if (rulesOf(schema).length > 0) yield* this.#judge(node, value, place)
    if (this.#over) return
    if (Array.isArray(value)) yield* this.#items(schema, value, place)
    else if (isObject(value)) yield* this.#fields(schema, value, place)
  }

  *#fields(schema: SchemaProps, value: Readonly<JsonObject>, { path, old, correlated }: RulePosition): Steps<void> {
    const atomic = schema['x-kubernetes-map-type'] === 'atomic'
    for (const name of Object.keys(value)) {
      const property = propertyOf(schema, name)
      const below = property ?? valuesOf(schema)
      if (below === undefined || !anyRules(below)) continue
      const before = isObject(old) && !atomic && Object.hasOwn(old, name) ? old[name] : undefined
      const at = property === undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
      yield* this.visit(nodeOf(below, false), value[name], { path: at, old: before, correlated: correlated && !atomic })
    }
  }

  *#items(schema: SchemaProps, value: readonly Json[], { path, old, correlated }: RulePosition): Steps<void> {
    const items = itemsOf(schema)
    if (items === undefined || !anyRules(items)) return
    const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : []
    const keyOf = (item: unknown) => (isObject(item) ? encodeJson(keys.map((k) => item[k] ?? propertyOf(items, k)?.default ?? null)) : '')
    const before = new Map(keys.length > 0 && Array.isArray(old) ? old.map((item) => [keyOf(item), item]) : [])
    for (const [i, item] of value.entries()) {
      yield* this.visit(nodeOf(items, false), item, {
        path: `${path}[${i}]`,
        old: before.get(keyOf(item)),
        correlated: correlated && keys.length > 0,
      })
    }
  }

  *#judge(node: Node, value: unknown, { path, old, correlated }: RulePosition): Steps<void> {
    const { schema } = node
    const schemaNode = toSchema(schema)
    const type = schema.type ?? ''
    const same = old !== undefined && old !== null && equalJson(old as Json, value as Json)
    let self: Value
    let before: Value | undefined
    try {
      self = celValueOf(schemaNode, value, node.root)
      before = old === undefined || old === null ? undefined : celValueOf(schemaNode, old, node.root)
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      this.faults.push(invalid(path, type, error.message))
      return
    }
    for (const rule of node.rules()) {
      if (this.#over) continue
      if (rule.fault !== undefined && rule.rule.rule.trim() !== '')
        this.faults.push(invalid(path, type, `rule compile error: ${rule.fault}`))
      if (rule.program === undefined) continue
      if (this.#budget.sinceStep > UNITS_PER_STEP) {
        this.#budget.sinceStep = 0
        yield
      }
      this.#budget.sinceStep += UNITS_OF_RULE
      if (rule.usesOldSelf && !correlated) continue
      const optional = rule.rule.optionalOldSelf === true
      if (rule.usesOldSelf && before === undefined && !optional) continue
      // Ratcheting: unchanged values are tolerated, unless the rule is a transition rule.
      if (same && !rule.usesOldSelf) continue
      const oldSelf = optional ? (before === undefined ? Optional.none : new Optional(before)) : (before ?? null)
      this.#evaluate(rule, { self, oldSelf }, { path, type, value })
    }
  }

  #spend(meter: Meter): void {
    this.#budget.left -= meter.spent
    this.#budget.sinceStep += meter.spent
  }

  #evaluate(rule: CompiledRule, variables: Record<string, Value>, at: { path: string; type: string; value: unknown }): void {
    const meter: Meter = { spent: 0, limit: Math.min(PER_CALL_LIMIT, this.#budget.left) }
    const shown = errorText(rule)
    try {
      const result = rule.program?.run(variables, meter)
      this.#spend(meter)
      if (result !== true) this.faults.push(failure(rule, this.#message(rule, variables), at))
    } catch (error) {
      this.#spend(meter)
      if (error instanceof CostError) {
        const text = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`
        this.faults.push(invalid(at.path, at.type, text))
        this.#budget.left = -1
      } else if (error instanceof CelError) {
        this.faults.push(
          invalid(
            at.path,
            at.type,
            error.message.startsWith('no such overload')
              ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
              : `${error.message} evaluating rule: ${shown}`,
          ),
        )
      } else throw error
    }
    if (this.#budget.left === 0) this.#budget.left = -1
  }

  /** The result of the message expression, if it is usable. */
  #message(rule: CompiledRule, variables: Record<string, Value>): string {
    const otherwise =
      rule.rule.message === undefined || rule.rule.message === '' ? `failed rule: ${errorText(rule)}` : rule.rule.message.trim()
    if (rule.message === undefined) return otherwise
    const meter: Meter = { spent: 0, limit: Math.min(PER_CALL_LIMIT, this.#budget.left) }
    try {
      const text = rule.message.run(variables, meter)
      this.#spend(meter)
      if (typeof text !== 'string') return otherwise
      const trimmed = text.trim()
      return trimmed === '' || trimmed.includes('\n') || Buffer.byteLength(trimmed) > LONGEST_MESSAGE ? otherwise : trimmed
    } catch (error) {
      this.#spend(meter)
      if (error instanceof CelError || error instanceof CostError) return otherwise
      throw error
    }
  }
}

const errorText = ({ rule }: CompiledRule) => (rule.message === undefined || rule.message === '' ? rule.rule : rule.message).trim()

function failure(
  compiled: CompiledRule,
  detail: string,
  { path, type, value }: { path: string; type: string; value: unknown },
): FieldError {
  const field = fieldOf(compiled, path, value)
  const whole = type === 'object' || type === 'array'
  switch (compiled.rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail)
    case 'FieldValueRequired':
      return required(field, detail)
    case 'FieldValueDuplicate':
      return whole ? { type: 'FieldValueDuplicate', field, message: 'Duplicate value' } : duplicate(field, value)
    default:
      return whole ? { type: 'FieldValueInvalid', field, message: `Invalid value: ${detail}` } : invalid(field, value, detail)
  }
}

const fieldTexts = new WeakMap<CompiledRule, string>()

function fieldOf(compiled: CompiledRule, path: string, _value: unknown): string {
  const requested = compiled.rule.fieldPath
  if (requested === undefined || requested === '') return path
  let text = fieldTexts.get(compiled)
  if (text === undefined) {
    text = normalized(requested)
    fieldTexts.set(compiled, text)
  }
  return path === '' ? text : `${path}.${text}`
}

/** `.a['b']` in the notation of field errors. */
function normalized(path: string): string {
  return path
    .trim()
    .replace(/^\./, '')
    .replace(/\['((?:[^'\\]|\\.)*)'\]/g, '[$1]')
}

/** Verifies that the path of a rule's `fieldPath` exists. Throws `FieldPathError`. */
export const checkFieldPath = (path: string, schema: SchemaProps) => followFieldPath(path, schema, true)
