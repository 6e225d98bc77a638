import { atOnce } from '../../../base/steps.ts'
import { faultText } from '../../../machinery/field-error.ts'
import { valueChanges } from '../../../machinery/json/value-changes.ts'
import { cloneJson, type JsonObject } from '../../../machinery/object.ts'
import { fillDefaults } from '../../../machinery/structural/fill-defaults.ts'
import { prune } from '../../../machinery/structural/prune.ts'
import { requestBudget, ruleSteps } from '../../../machinery/structural/rules.ts'
import { rulesOf, type SchemaProps, type ValidationRule, walkSchema } from '../../../machinery/structural/schema-props.ts'
import { validateInSteps } from '../../../machinery/structural/validator.ts'
import type { CustomResourceDefinition, DefinitionVersion } from '../../../resources/apiextensions/types.ts'
import type { KindStep } from '../../wire/kind-bench.ts'
import { shownText } from '../../wire/shown-text.ts'

/** Lines of one step, and characters of a value. */
const MAX_LINES = 200
const MAX_VALUE = 300
/** Rules whose costs are measured one by one: each is another walk over the object. */
const MAX_RULES = 50
const ANYTHING: SchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** What becomes of an object of a custom kind, step by step, as the server takes them. Does not change the object. */
export function kindSteps(definition: CustomResourceDefinition, version: DefinitionVersion, given: JsonObject): readonly KindStep[] {
  const schema = version.schema?.openAPIV3Schema ?? ANYTHING
  const object = cloneJson(given)
  return [
    pruned(object, schema, definition.spec.preserveUnknownFields === true),
    defaulted(object, schema),
    checked(object, schema),
    ...ruled(object, schema),
  ]
}

function pruned(object: JsonObject, schema: SchemaProps, isKept: boolean): KindStep {
  if (isKept) return { name: 'prune', tone: 'done', lines: ['the definition keeps unknown fields'] }
  const found: string[] = []
  prune(object, schema, true, found)
  return step(
    'prune',
    found.sort().map((path) => `${path} is not in the schema: it is dropped`),
    'busy',
    'no field is dropped',
  )
}

function defaulted(object: JsonObject, schema: SchemaProps): KindStep {
  const before = cloneJson(object)
  fillDefaults(object, schema)
  const { changes } = valueChanges(before, object, { most: MAX_LINES, mostText: MAX_VALUE })
  return step(
    'default',
    changes.map(({ path, to = '' }) => `${path} = ${to}`),
    'busy',
    'no field is filled in',
  )
}

const checked = (object: JsonObject, schema: SchemaProps): KindStep =>
  step('schema', atOnce(validateInSteps(schema, object)).map(faultText), 'bad', 'it has the shape of the schema')

/** Each rule alone, for its cost: the server stops all of them when the object has spent its budget. */
function ruled(object: JsonObject, schema: SchemaProps): readonly KindStep[] {
  const rules: ValidationRule[] = []
  walkSchema(schema, (part) => rules.push(...rulesOf(part)))
  const whole = requestBudget().left
  const steps = rules.slice(0, MAX_RULES).map((rule): KindStep => {
    const budget = requestBudget()
    const faults = atOnce(ruleSteps(withOnly(schema, rule) as SchemaProps, object, { budget }))
    const cost = whole - Math.max(0, budget.left)
    const name = shownText(`rule ${rule.rule}`, MAX_VALUE)
    const text = `costs ${cost.toLocaleString('en')} of ${whole.toLocaleString('en')}`
    return {
      name,
      tone: faults.length > 0 ? 'bad' : '',
      lines: [...faults.slice(0, MAX_LINES).map((fault) => shownText(faultText(fault))), text],
    }
  })
  if (rules.length <= MAX_RULES) return steps
  return [...steps, { name: 'rules', tone: 'busy', lines: [`${rules.length - MAX_RULES} more rules are left to the server`] }]
}

/** The schema with one of its rules. */
function withOnly(part: unknown, rule: ValidationRule): unknown {
  if (Array.isArray(part)) return part.map((each) => withOnly(each, rule))
  if (part === null || typeof part !== 'object') return part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      key === 'x-kubernetes-validations' && Array.isArray(value) ? value.filter((each) => each === rule) : withOnly(value, rule),
    ]),
  )
}

const step = (name: string, lines: readonly string[], tone: KindStep['tone'], nothing: string): KindStep =>
  lines.length === 0
    ? { name, tone: '', lines: [nothing] }
    : { name, tone, lines: lines.slice(0, MAX_LINES).map((line) => shownText(line)) }
