import { arrival, atOnce, Pace, type Steps } from '../../base/steps.ts'
import { equalJson } from '../equal.ts'
import { type FieldError, invalid, notSupportedText, required, tooLong, tooMany, typeInvalid } from '../field-error.ts'
import { encodeJson } from '../json/strict-json.ts'
import { isObject, type Json, type JsonObject } from '../object.ts'
import { isKnownFormat, textFormat } from './formats.ts'
import { MOST_FAULTS } from './list-types.ts'
import { MOST_WORK, matchesPattern, worstWork } from './pattern.ts'
import { isIntOrString, itemsOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

export interface ValidateOptions {
  /** Precedes the paths of faults: `status`. */
  readonly base?: string
  /** The previous value: unchanged parts are not validated again. */
  readonly old?: unknown
  /** Does not check the type of int-or-string values (Kubernetes checks defaults so). */
  readonly anyIntOrString?: boolean
  /** Tests whether a text matches a pattern. Default: computed here. */
  readonly matches?: ((pattern: string, text: string) => boolean) | undefined
}

/** The faults of a value by its schema, in the words of Kubernetes. */
export function validateValue(schema: SchemaProps, value: unknown, options: ValidateOptions = {}): FieldError[] {
  return atOnce(validateInSteps(schema, value, options))
}

/** The same in steps: the work is up to the size of the schema times that of the value. */
export function* validateInSteps(schema: SchemaProps, value: unknown, options: ValidateOptions = {}): Steps<FieldError[]> {
  const outcome = yield* check(schema, value, {
    name: '',
    old: options.old,
    root: true,
    base: options.base ?? '',
    anyIntOrString: options.anyIntOrString === true,
    matches: options.matches ?? matchesPattern,
    pace: new Pace(),
  })
  return outcome.faults
}

interface Position {
  /** The path inside the value, `spec.a[0]`. */
  readonly name: string
  readonly old: unknown
  readonly root: boolean
  readonly base: string
  readonly anyIntOrString: boolean
  readonly matches: (pattern: string, text: string) => boolean
  readonly pace: Pace
}

/** As much work of a pattern is done in a microsecond. */
const MATCHED_PER_MICROSECOND = 125

interface Outcome {
  readonly faults: FieldError[]
  /** How much of the schema was tried: of several failures, the one that progressed furthest is reported. */
  readonly tried: number
}

const FINE: Outcome = { faults: [], tried: 1 }

/** The field path of a fault. */
const fieldOf = ({ base, name }: Position) => {
  const own = name.replace(/^\./, '')
  return own === '' ? base : base === '' ? own : `${base}.${own}`
}

function* check(schema: SchemaProps, value: unknown, place: Position): Steps<Outcome> {
  if (place.pace.due()) yield
  if (isUnchanged(value, place)) return FINE
  if (isLeaf(value) && !hasAlternatives(schema)) return checkLeaf(schema, value, place)
  const out: FieldError[] = []
  let tried = 1
  const merge = (outcome: Outcome) => {
    for (const fault of outcome.faults) out.push(fault)
    tried += outcome.tried
  }
  if (isLeaf(value)) merge(checkLeaf(schema, value, place))
  else {
    const typed = checkType(schema, value, place)
    if (typed !== undefined) out.push(typed)
    if (Array.isArray(value)) merge(yield* checkList(schema, value, place))
    else if (isObject(value)) merge(yield* checkObject(schema, value, place))
    checkEnum(schema, value, place, out)
  }
  if (hasAlternatives(schema)) merge(yield* checkAlternatives(schema, value, place))
  return out.length === 0 && tried === 1 ? FINE : { faults: out, tried }
}

/** A value inside of another one. Most are leaves, which cost no generator. */
function below(schema: SchemaProps, value: unknown, place: Position): Steps<Outcome> {
  if (!isLeaf(value) || hasAlternatives(schema) || place.pace.spent) return check(schema, value, place)
  place.pace.spend(1)
  return arrival(isUnchanged(value, place) ? FINE : checkLeaf(schema, value, place))
}

const isUnchanged = (value: unknown, { root, old }: Position): boolean =>
  !root && old !== undefined && equalJson(old as Json, value as Json)

const isLeaf = (value: unknown): boolean => value === null || typeof value !== 'object'

function checkLeaf(schema: SchemaProps, value: unknown, place: Position): Outcome {
  const faults: FieldError[] = []
  const typed = checkType(schema, value, place)
  if (typed !== undefined) faults.push(typed)
  if (typeof value === 'string') checkText(schema, value, place, faults)
  else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(schema, value, place, faults)
  checkEnum(schema, value, place, faults)
  return faults.length === 0 ? FINE : { faults, tried: 1 }
}

function checkEnum(schema: SchemaProps, value: unknown, place: Position, out: FieldError[]): void {
  if (schema.enum === undefined || schema.enum === null || schema.enum.length === 0) return
  const listed = enumerationOf(schema, schema.enum)
  // In Kubernetes null is in no enumeration, even where it is listed.
  if (value !== null && listed.has(value as Json, place.pace)) return
  out.push(notSupportedText(fieldOf(place), value, listed.texts))
}

/** The values of an `enum`: a long list of them may be searched for each item of another long list. */
class Enumeration {
  /** As errors list them. */
  readonly texts: readonly string[]
  readonly #scalars: ReadonlySet<Json>
  readonly #others: readonly Json[]

  constructor(values: readonly Json[]) {
    this.texts = values.map((value) => (typeof value === 'string' ? value : encodeJson(value)))
    this.#scalars = new Set(values)
    // Numbers are equal in several forms: 1 and 1n.
    this.#others = values.filter((value) => typeof value !== 'string' && typeof value !== 'boolean')
  }

  has(value: Json, pace: Pace): boolean {
    if (this.#scalars.has(value)) return true
    if (typeof value === 'string' || typeof value === 'boolean') return false
    pace.spend(this.#others.length / COMPARED_PER_MICROSECOND)
    return this.#others.some((other) => equalJson(other, value))
  }
}

/** As many values that differ soon. */
const COMPARED_PER_MICROSECOND = 10

const enumerations = new WeakMap<SchemaProps, Enumeration>()

function enumerationOf(schema: SchemaProps, values: readonly Json[]): Enumeration {
  let known = enumerations.get(schema)
  if (known === undefined) {
    known = new Enumeration(values)
    enumerations.set(schema, known)
  }
  return known
}

const hasAlternatives = (s: SchemaProps) => s.anyOf !== undefined || s.oneOf !== undefined || s.allOf !== undefined || s.not !== undefined

function typesOf(schema: SchemaProps): readonly string[] {
  if (isIntOrString(schema)) return ['integer', 'string']
  return schema.type === undefined || schema.type === '' ? [] : [schema.type]
}

/** Go's JSON types. */
function typeOfValue(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint' || typeof value === 'number') return isInt64(value) ? 'integer' : 'number'
  return typeof value
}

/** An integer: an int64 as Go decodes it (large ones are bigints here), or a float64 without fraction. */
const isInt64 = (value: number | bigint): boolean =>
  typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value)

function checkType(schema: SchemaProps, value: unknown, place: Position): FieldError | undefined {
  const types = typesOf(schema)
  const actual = typeOfValue(value)
  if (actual === 'null') {
    if (types.length === 0 || schema.nullable === true) return undefined
    return wrongType(place, types.join(','), 'null')
  }
  if (types.length === 0 || (place.anyIntOrString && isIntOrString(schema))) return undefined
  if (types.includes(actual) || (actual === 'integer' && types.includes('number'))) return undefined
  const format = schema.format ?? ''
  const known = format !== '' && isKnownFormat(types[0] ?? '', format)
  const texts = actual === 'string' || actual === 'array'
  if (known && !texts) return wrongType(place, format, formatOfValue(actual))
  if (known && texts && !types.includes('number') && !types.includes('integer')) return undefined
  return wrongType(place, types.join(','), actual)
}

const formatOfValue = (type: string) => (type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '')

const wrongType = (place: Position, wanted: string, found: string) =>
  typeInvalid(fieldOf(place), found, `${place.name} in body must be of type ${wanted}: "${found}"`)

function checkText(schema: SchemaProps, value: string, place: Position, out: FieldError[]): void {
  const { maxLength, minLength, pattern, format } = schema
  const length = maxLength === undefined && minLength === undefined ? 0 : lengthOf(value)
  // Of length and pattern, only the first violation is reported.
  if (maxLength !== undefined && length > maxLength) out.push(tooLong(fieldOf(place), maxLength))
  else if (minLength !== undefined && length < minLength)
    out.push(invalid(fieldOf(place), value, `${place.name} in body should be at least ${minLength} chars long`))
  else if (pattern !== undefined && pattern !== '') {
    const work = worstWork(pattern, value)
    place.pace.spend(work / MATCHED_PER_MICROSECOND)
    if (work > MOST_WORK)
      out.push(invalid(fieldOf(place), '<long text>', `${place.name} in body is too long to be matched against '${pattern}'`))
    else if (!place.matches(pattern, value)) out.push(invalid(fieldOf(place), value, `${place.name} in body should match '${pattern}'`))
  }
  const types = typesOf(schema)
  const checked = format === undefined || (types.length > 0 && !types.includes('string')) ? undefined : textFormat(format)
  if (checked !== undefined && !checked(value))
    out.push(typeInvalid(fieldOf(place), value, `${place.name} in body must be of type ${format}: ${JSON.stringify(value)}`))
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

function checkNumber(schema: SchemaProps, value: number | bigint, place: Position, out: FieldError[]): void {
  const range = rangeFault(schema, value)
  if (range !== undefined) out.push(invalid(place.base, '', `Checked value must be of type ${range} in ${place.name}`))
  // Kubernetes compares an integer with integer bounds: fractions of bounds are cut off.
  const cut = (bound: number | undefined) => (bound === undefined || !isInt64(value) ? bound : Math.trunc(bound))
  const [multipleOf, maximum, minimum] = [cut(schema.multipleOf), cut(schema.maximum), cut(schema.minimum)]
  const number = Number(value)
  const fail = (text: string) => out.push(invalid(fieldOf(place), value, `${place.name} in body should be ${text}`))
  if (multipleOf !== undefined) {
    if (multipleOf <= 0)
      out.push(invalid(fieldOf(place), multipleOf, `factor MultipleOf declared for ${place.name} must be positive: ${multipleOf}`))
    else if (!isMultiple(number, multipleOf)) fail(`a multiple of ${multipleOf}`)
  }
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? number >= maximum : number > maximum))
    fail(schema.exclusiveMaximum === true ? `less than ${maximum}` : `less than or equal to ${maximum}`)
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? number <= minimum : number < minimum))
    fail(schema.exclusiveMinimum === true ? `greater than ${minimum}` : `greater than or equal to ${minimum}`)
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}

function rangeFault({ type, format }: SchemaProps, value: number | bigint): string | undefined {
  if (type === 'integer') {
    const whole = isInt64(value)
    const bits = format === 'int32' ? 31 : 63
    const fits = whole && Number(value) >= -(2 ** bits) && (typeof value === 'bigint' ? value < 2n ** BigInt(bits) : value < 2 ** bits)
    if (fits) return undefined
    return format !== undefined && isKnownFormat('integer', format) ? `integer with format ${format}` : 'integer (default format)'
  }
  if (format === 'float' && Math.abs(Number(value)) > 3.4028235677973366e38) return `${type ?? ''} with format float`
  return undefined
}

function* checkList(schema: SchemaProps, value: readonly unknown[], place: Position): Steps<Outcome> {
  const out: FieldError[] = []
  let tried = 1
  const { minItems, maxItems } = schema
  if (minItems !== undefined && value.length < minItems)
    out.push(invalid(fieldOf(place), value.length, `${place.name} in body should have at least ${minItems} items`))
  if (maxItems !== undefined && value.length > maxItems) out.push(tooMany(fieldOf(place), value.length, maxItems))
  const items = itemsOf(schema)
  if (items !== undefined && !saysNothing(items)) {
    const oldOf = oldItems(schema, place.old)
    for (let i = 0; i < value.length; i++) {
      const outcome = yield* below(items, value[i], { ...place, name: `${place.name}[${i}]`, old: oldOf(value[i]), root: false })
      tried += outcome.tried
      for (const fault of outcome.faults) out.push(fault)
      if (out.length >= MOST_FAULTS) break
    }
  }
  return { faults: out, tried }
}

/** Only items of a list that is a map by keys can be correlated with old ones. */
function oldItems(schema: SchemaProps, old: unknown): (item: unknown) => unknown {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old) || keys.length === 0) return () => undefined
  const keyOf = (item: unknown) => (isObject(item) ? encodeJson(keys.map((k) => item[k] ?? null)) : '')
  const byKey = new Map(old.map((item) => [keyOf(item), item]))
  return (item) => byKey.get(keyOf(item))
}

const silence = new WeakMap<SchemaProps, boolean>()

function saysNothing(schema: SchemaProps): boolean {
  let known = silence.get(schema)
  if (known === undefined) {
    known = Object.keys(schema).every((k) => k === 'description' || k === 'title' || k === 'x-kubernetes-preserve-unknown-fields')
    silence.set(schema, known)
  }
  return known
}

function* checkObject(schema: SchemaProps, value: Readonly<JsonObject>, place: Position): Steps<Outcome> {
  const out: FieldError[] = []
  let tried = 1
  const { minProperties, maxProperties, properties } = schema
  if (minProperties !== undefined || maxProperties !== undefined) {
    const size = Object.keys(value).length
    if (minProperties !== undefined && size < minProperties)
      out.push(invalid(fieldOf(place), size, `${place.name} in body should have at least ${minProperties} properties`))
    if (maxProperties !== undefined && size > maxProperties) out.push(tooMany(fieldOf(place), size, maxProperties))
  }
  const closed = schema.additionalProperties === false
  const values = valuesOf(schema)
  if (properties !== undefined || values !== undefined || closed) {
    for (const name of Object.keys(value)) {
      const property = propertyOf(schema, name)
      const inside = property ?? values
      if (inside === undefined) {
        if (closed)
          out.push(
            invalid(fieldOf({ ...place, name: `${place.name}.${name}` }), '', `${place.name}.${name} in body is a forbidden property`),
          )
        continue
      }
      const inner = property !== undefined && place.name === '' ? name : `${place.name}.${name}`
      const old = isObject(place.old) && Object.hasOwn(place.old, name) ? place.old[name] : undefined
      const outcome = yield* below(inside, value[name], { ...place, name: inner, old, root: false })
      tried += outcome.tried
      for (const fault of outcome.faults) out.push(fault)
    }
  }
  for (const name of schema.required ?? []) {
    if (place.pace.due()) yield
    if (!Object.hasOwn(value, name)) out.push(required(fieldOf({ ...place, name: `${place.name}.${name}` })))
  }
  return { faults: out, tried }
}

function* checkAlternatives(schema: SchemaProps, value: unknown, place: Position): Steps<Outcome> {
  const out: FieldError[] = []
  let tried = 1
  const whole = (text: string) => out.push(invalid(place.base, '', `"${place.name}" must ${text}`))
  const best = (outcomes: readonly Outcome[]) => outcomes.reduce((a, b) => (b.tried > a.tried ? b : a))
  const take = (outcome: Outcome) => {
    for (const fault of outcome.faults) out.push(fault)
    tried += outcome.tried
  }
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    const outcomes: Outcome[] = []
    for (const each of schema.anyOf) {
      outcomes.push(yield* below(each, value, place))
      if (outcomes.at(-1)?.faults.length === 0) break
    }
    if (outcomes.at(-1)?.faults.length !== 0) {
      whole('validate at least one schema (anyOf)')
      take(best(outcomes))
    }
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    const outcomes = yield* checkEach(schema.oneOf, value, place)
    const valid = outcomes.filter((o) => o.faults.length === 0).length
    if (valid !== 1)
      whole(`validate one and only one schema (oneOf). ${valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`}`)
    if (valid === 0) take(best(outcomes))
  }
  if (schema.allOf !== undefined && schema.allOf.length > 0) {
    const outcomes = yield* checkEach(schema.allOf, value, place)
    const valid = outcomes.filter((o) => o.faults.length === 0).length
    for (const outcome of outcomes) take(outcome)
    if (valid < outcomes.length) whole(`validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`)
  }
  if (schema.not !== undefined && (yield* below(schema.not, value, place)).faults.length === 0) whole('not validate the schema (not)')
  return { faults: out, tried }
}

function* checkEach(schemas: readonly SchemaProps[], value: unknown, place: Position): Steps<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const schema of schemas) outcomes.push(yield* below(schema, value, place))
  return outcomes
}
