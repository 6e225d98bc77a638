import { Pace, type Steps } from '../../base/steps.ts'
import { goQuote } from '../field-error.ts'
import type { NumberTexts } from '../json/json-parser.ts'
import { cloneJson, type Json, type JsonObject, setOwn } from '../object.ts'
import { lightWeight } from '../weight.ts'
import { scalarDecoder, scalarZero } from './decode-scalar.ts'
import { DecodeError, DecodeState, type PathField } from './decode-state.ts'
import { rememberEmpty } from './given-empty.ts'
import type { AnySchema, Field, ListSchema, MapSchema, Schema, StructSchema } from './schema.ts'

export { DecodeError } from './decode-state.ts'

export interface DecodeOptions {
  /** What is done with fields that the type does not have: refused, told in `warnings`, or passed over. Default `Ignore`. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Paths (`spec.replicas`) that the text had twice, from the strict JSON reader. */
  readonly duplicates?: readonly string[]
  /** The texts of numbers that JavaScript would write otherwise (`80.0`), from the strict JSON reader of this very value. */
  readonly numbers?: NumberTexts
  /**
   * The value is the caller's own: parts that are as Go would write them already are taken as they are, which costs no copy. Default: everything is
   * copied.
   */
  readonly share?: boolean
  /** Parts that are as Go would write them already, by identity: they are not looked at (what an update has in common with what is stored). */
  readonly known?: ReadonlySet<unknown>
}

export interface Decoded {
  /** A new object in Go's field order, with exactly the fields that Go would write. */
  readonly object: JsonObject
  /** `unknown field "spec.x"`, for `Warning` headers. */
  readonly warnings: readonly string[]
}

/**
 * Reads JSON as Go reads it into the type, and writes it as Go would write it: unknown fields are dropped, empty fields with `omitempty` left out,
 * all others present (`status: {}`), quantities and times in canonical form. The argument is not changed, and (without `share`) not kept.
 *
 * Throws {@link DecodeError} with Go's text when a value has the wrong type, and under `Strict` for unknown and duplicate fields:
 * `json: cannot unmarshal string into Go struct field Container.spec.containers.ports of type []v1.ContainerPort`.
 */
export function decodeObject(schema: Schema, json: Json, options: DecodeOptions = {}): Decoded {
  const state = stateOf(options)
  return decodedOf(
    decodeAll(state, () => decoderOf(schema).decode(json, state)),
    state,
    options,
  )
}

/** The same in steps: for what is large. */
export function* decodeObjectInSteps(schema: Schema, json: Json, options: DecodeOptions = {}): Steps<Decoded> {
  const state = stateOf(options)
  const steps = stepsOf(decoderOf(schema), json, state, new Pace())
  for (;;) {
    const step = decodeAll(state, () => steps.next(), false)
    if (step.done === true) return decodedOf(checkedFault(step.value, state), state, options)
    yield
  }
}

const stateOf = ({ fieldValidation = 'Ignore', numbers, share, known }: DecodeOptions): DecodeState =>
  new DecodeState(fieldValidation !== 'Ignore', numbers, share, known)

function decodedOf(object: Json | undefined, state: DecodeState, options: DecodeOptions): Decoded {
  if (object === undefined || object === null || typeof object !== 'object' || Array.isArray(object))
    throw new DecodeError('type', 'the schema of an object is a struct')
  const mode = options.fieldValidation ?? 'Ignore'
  const warnings = [...state.strictTexts]
  const { duplicates } = options
  if (mode !== 'Ignore' && duplicates !== undefined && duplicates.length > 0) warnings.push(...duplicateTexts(duplicates, warnings.length))
  if (mode === 'Strict' && warnings.length > 0) throw new DecodeError('strict', `strict decoding error: ${warnings.join(', ')}`)
  return { object, warnings }
}

/** Decodes any value of a type, such as one field of an object. Throws like {@link decodeObject}. */
export function decodeValue(schema: Schema, json: Json): Json {
  const state = new DecodeState(false, undefined)
  return decodeAll(state, () => decoderOf(schema).decode(json, state)) ?? null
}

function decodeAll<T>(state: DecodeState, decode: () => T, whole = true): T {
  try {
    const value = decode()
    return whole ? checkedFault(value, state) : value
  } catch (error) {
    // Nothing that means well is nested so deep that the stack ends.
    if (error instanceof RangeError) throw new DecodeError('value', 'exceeded max depth')
    throw error
  }
}

function checkedFault<T>(value: T, state: DecodeState): T {
  if (state.fault !== undefined) throw state.fault
  return value
}

/** What Go writes for a type that nothing was said of: `{"metadata":{},"spec":{"containers":null},"status":{}}`. */
export function zeroValue(schema: Schema): Json {
  return decoderOf(schema).zero()
}

const duplicateTexts = (paths: readonly string[], found: number) =>
  [...new Set(paths)].slice(0, Math.max(0, 100 - found)).map((path) => `duplicate field ${goQuote(path)}`)

/** How values are read. */
interface Reader {
  readonly decode: Decode
  /** The same in steps, of what may be large. */
  readonly steps?: DecodeInSteps
}

/** How values of one schema are read. `zero` makes a new value each time, which belongs to the caller. */
interface Decoder extends Reader {
  readonly zero: () => Json
}

type Decode = (value: Json, state: DecodeState) => Json | undefined
type DecodeInSteps = (value: Json, state: DecodeState, pace: Pace) => Steps<Json | undefined>

/** Light values are decoded at once, heavy ones step by step. */
function* stepsOf({ decode, steps }: Reader, value: Json, state: DecodeState, pace: Pace): Steps<Json | undefined> {
  const weight = steps === undefined ? 1 : lightWeight(value)
  if (weight === undefined && steps !== undefined) return yield* steps(value, state, pace)
  if (pace.due(weight)) yield
  return decode(value, state)
}

const decoders = new WeakMap<Schema, Decoder>()

function decoderOf(schema: Schema): Decoder {
  let decoder = decoders.get(schema)
  if (decoder === undefined) {
    decoder = compile(schema)
    decoders.set(schema, decoder)
  }
  return decoder
}

function compile(schema: Schema): Decoder {
  switch (schema.type) {
    case 'struct':
      return structDecoder(schema)
    case 'list':
      return listDecoder(schema)
    case 'map':
      return mapDecoder(schema)
    case 'any':
      return anyDecoder(schema)
    case 'scalar': {
      const zero = scalarZero(schema.scalar)
      const read = scalarDecoder(schema.scalar, schema.go ?? schema.scalar)
      return { decode: (value, state) => (value === null ? zero : read(value, state)), zero: () => zero }
    }
  }
}

/** A field, ready to be read; what is decoded as undefined is left out. */
interface FieldPlan extends PathField, Reader {
  readonly index: number
  /** What stands there when the body does not have the field. */
  readonly absent: (() => Json) | undefined
}

function structDecoder(schema: StructSchema): Decoder {
  const go = schema.go ?? schema.name ?? 'struct'
  let plans: readonly FieldPlan[] | undefined
  let byName: ReadonlyMap<string, FieldPlan> = new Map()
  /** How many fields are always there. */
  let always = 0
  /** Fields are compiled when the first value comes: types refer to themselves. */
  const ready = (): readonly FieldPlan[] => {
    if (plans === undefined) {
      plans = [...schema.fields].map(([name, field], index) => planField(schema, name, field, index))
      byName = new Map(plans.map((p) => [p.name, p]))
      always = plans.filter((p) => p.absent !== undefined).length
    }
    return plans
  }
  const build = (plans: readonly FieldPlan[], slots: readonly (Json | undefined)[]): JsonObject => {
    const out: JsonObject = {}
    for (const plan of plans) {
      const value = slots[plan.index]
      if (value !== undefined) out[plan.name] = value
      else if (plan.absent !== undefined) out[plan.name] = plan.absent()
    }
    return out
  }
  const zero = () => build(ready(), [])
  const decode = (value: Json, state: DecodeState): Json => {
    const plans = ready()
    if (value === null) return zero()
    if (typeof value !== 'object' || Array.isArray(value)) {
      state.typeFault(value, go)
      return zero()
    }
    const reading = new StructReading(value, state, plans.length)
    // `for in` reads members by their place in the object; JSON has no inherited ones.
    for (const name in value) {
      const plan = byName.get(name)
      const item = reading.item(name, plan)
      if (item !== undefined && plan !== undefined) reading.take(plan, item)
    }
    return reading.isSame(always) ? value : reading.result(build(plans, reading.slots))
  }
  function* steps(value: Json, state: DecodeState, pace: Pace): Steps<Json> {
    const plans = ready()
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return decode(value, state)
    yield
    const reading = new StructReading(value, state, plans.length)
    for (const name in value) {
      if (pace.due()) yield
      const plan = byName.get(name)
      const item = reading.item(name, plan)
      if (item !== undefined && plan !== undefined) yield* reading.takeInSteps(plan, item, pace)
    }
    return reading.isSame(always) ? value : reading.result(build(plans, reading.slots))
  }
  return { decode, steps, zero }
}

/** The members of one struct as they are read. */
class StructReading {
  readonly slots: (Json | undefined)[]
  readonly #value: JsonObject
  readonly #state: DecodeState
  #empty: string[] | undefined
  /** Whether the value is as Go would write it: fields in order, none too many, none missing, each as it should be. */
  #same: boolean
  #last = -1
  #found = 0

  constructor(value: JsonObject, state: DecodeState, fields: number) {
    this.#value = value
    this.#state = state
    this.#same = state.share
    this.slots = new Array<Json | undefined>(fields)
  }

  /** The member of a field; undefined for one that nobody knows, which is told. */
  item(name: string, plan: FieldPlan | undefined): Json | undefined {
    // In an object of very many members to read one is not for nothing: those that nobody knows are read while there is room to tell of them.
    const item = plan !== undefined || this.#state.tellsUnknown ? this.#value[name] : undefined
    if (item !== undefined && plan !== undefined) return item
    this.#same = false
    if (item !== undefined) this.#state.unknown(name)
    return undefined
  }

  take(plan: FieldPlan, item: Json): void {
    const state = this.#state
    let decoded: Json | undefined = item
    if (state.known?.has(item) !== true) {
      state.path.push(plan)
      state.container = this.#value
      decoded = plan.decode(item, state)
      state.path.pop()
    }
    this.#keep(plan, item, decoded)
  }

  *takeInSteps(plan: FieldPlan, item: Json, pace: Pace): Steps<void> {
    const state = this.#state
    let decoded: Json | undefined = item
    if (state.known?.has(item) !== true) {
      state.path.push(plan)
      state.container = this.#value
      decoded = yield* stepsOf(plan, item, state, pace)
      state.path.pop()
    }
    this.#keep(plan, item, decoded)
  }

  #keep(plan: FieldPlan, item: Json, decoded: Json | undefined): void {
    this.slots[plan.index] = decoded
    if ((decoded === undefined || decoded === null) && isEmptyJson(item)) {
      this.#empty ??= []
      this.#empty.push(plan.name)
    }
    if (decoded !== item || plan.index < this.#last) this.#same = false
    this.#last = plan.index
    if (plan.absent !== undefined) this.#found++
  }

  /** The value has what it should, and `always` is how many fields are always there. */
  isSame(always: number): boolean {
    return this.#same && this.#found === always
  }

  result(built: JsonObject): JsonObject {
    for (const name of this.#empty ?? []) rememberEmpty(built, name, Array.isArray(this.#value[name]) ? 'list' : 'map')
    return built
  }
}

function planField(struct: StructSchema, name: string, field: Field, index: number): FieldPlan {
  const decoder = decoderOf(field.schema)
  const inline = field.inlineOf === undefined ? '' : `${field.inlineOf}.`
  const plan = { name, goPath: `${inline}${name}`, struct: struct.name ?? '', index }
  const { decode, steps } = decoder
  const settled = (settle: (decoded: Json | undefined) => Json | undefined) => ({
    decode: (v: Json, s: DecodeState) => settle(decode(v, s)),
    ...(steps && {
      *steps(v: Json, s: DecodeState, pace: Pace) {
        return settle(yield* steps(v, s, pace))
      },
    }),
  })
  const plain = { decode, ...(steps && { steps }) }
  if (field.pointer === true)
    return {
      ...plan,
      ...plain,
      decode: (v, s) => (v === null ? (field.omitEmpty ? undefined : null) : decode(v, s)),
      absent: field.omitEmpty ? undefined : () => null,
    }
  const omit = omitted(field)
  if (omit === undefined) return { ...plan, ...(isStoredSlice(struct, field) ? settled(nullWhenEmpty) : plain), absent: decoder.zero }
  return { ...plan, ...settled((decoded) => (decoded === undefined || omit(decoded) ? undefined : decoded)), absent: undefined }
}

/**
 * Kubernetes stores objects as protobuf, which knows no empty lists and maps: `rules: []` comes back as `rules: null`, from a dry run too.
 * The items of a list of objects were never stored.
 */
function isStoredSlice(struct: StructSchema, field: Field): boolean {
  const list = struct.fields.get('metadata')?.schema
  return (field.schema.type === 'list' || field.schema.type === 'map') && !(list?.type === 'struct' && list.name === 'ListMeta')
}

const nullWhenEmpty = (value: Json | undefined): Json | undefined => {
  if (value === null || typeof value !== 'object') return value
  return (Array.isArray(value) ? value.length === 0 : isEmptyMap(value)) ? null : value
}

/** When Go leaves a field out, or undefined when never. `omitempty` means nothing for structs. */
function omitted(field: Field): ((value: Json) => boolean) | undefined {
  if (field.omitZero === true) return (value) => value === null
  if (!field.omitEmpty) return undefined
  const schema = field.schema
  if (schema.type === 'list') return (value) => value === null || (Array.isArray(value) && value.length === 0)
  if (schema.type === 'map') return isEmptyMap
  if (schema.type !== 'scalar') return undefined
  if (
    schema.scalar === 'time' ||
    schema.scalar === 'microtime' ||
    schema.scalar === 'quantity' ||
    schema.scalar === 'int-or-string' ||
    schema.scalar === 'duration'
  )
    return undefined
  return (value) => value === '' || value === 0 || value === false || value === null || value === 0n
}

function isEmptyJson(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) ? value.length === 0 : isEmptyMap(value)
}

function isEmptyMap(value: Json): boolean {
  for (const _ in value as JsonObject) return false
  return true
}

function listDecoder(schema: ListSchema): Decoder {
  const go = schema.go ?? 'list'
  let items: Decoder | undefined
  const decode = (value: Json, state: DecodeState): Json => {
    if (value === null) return null
    if (!Array.isArray(value)) {
      state.typeFault(value, go)
      return null
    }
    items ??= decoderOf(schema.items)
    const out = new Array<Json>(value.length)
    let same = state.share
    for (let i = 0; i < value.length; i++) {
      const item = value[i] ?? null
      let decoded = item
      if (state.known?.has(item) !== true) {
        state.path.push(i)
        state.container = value
        decoded = items.decode(item, state) ?? null
        state.path.pop()
      }
      out[i] = decoded
      if (decoded !== value[i]) same = false
    }
    return same ? value : out
  }
  function* steps(value: Json, state: DecodeState, pace: Pace): Steps<Json> {
    if (!Array.isArray(value)) return decode(value, state)
    items ??= decoderOf(schema.items)
    const out: Json[] = []
    let same = state.share
    for (const [i, given] of value.entries()) {
      const item = given ?? null
      let decoded = item
      if (state.known?.has(item) !== true) {
        state.path.push(i)
        state.container = value
        decoded = (yield* stepsOf(items, item, state, pace)) ?? null
        state.path.pop()
      }
      out.push(decoded)
      if (decoded !== given) same = false
    }
    return same ? value : out
  }
  return { decode, steps, zero: () => null }
}

function mapDecoder(schema: MapSchema): Decoder {
  const go = schema.go ?? 'map'
  let values: Decoder | undefined
  // Stored as protobuf, whose bytes may be none but not null.
  const none = schema.values.type === 'scalar' && schema.values.scalar === 'bytes' ? '' : null
  const decode = (value: Json, state: DecodeState): Json => {
    if (value === null) return null
    if (typeof value !== 'object' || Array.isArray(value)) {
      state.typeFault(value, go)
      return null
    }
    values ??= decoderOf(schema.values)
    const out: JsonObject = {}
    let same = state.share
    for (const name in value) {
      const item = value[name]
      state.path.push(name)
      state.container = value
      const decoded = values.decode(item ?? null, state) ?? none
      state.path.pop()
      setOwn(out, name, decoded)
      if (decoded !== item) same = false
    }
    return same ? value : out
  }
  function* steps(value: Json, state: DecodeState, pace: Pace): Steps<Json> {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return decode(value, state)
    values ??= decoderOf(schema.values)
    yield
    // Most maps are as Go would write them: a copy is made when one member is not.
    let out: JsonObject | undefined = state.share ? undefined : {}
    const taken: string[] = []
    for (const name in value) {
      const item = value[name] ?? null
      state.path.push(name)
      state.container = value
      const decoded = (yield* stepsOf(values, item, state, pace)) ?? none
      state.path.pop()
      if (out === undefined && decoded !== value[name]) {
        out = {}
        for (const before of taken) {
          if (pace.due()) yield
          setOwn(out, before, value[before])
        }
      }
      if (out === undefined) taken.push(name)
      else setOwn(out, name, decoded)
    }
    return out ?? value
  }
  return { decode, steps, zero: () => null }
}

function anyDecoder(schema: AnySchema): Decoder {
  const { alternative } = schema
  if (alternative === undefined) return { decode: (value, state) => (state.share ? value : cloneJson(value)), zero: () => null }
  const decode = (value: Json, state: DecodeState): Json => {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return nested(alternative.schema, value, state)
    if (alternative.kind === 'bool') {
      if (typeof value === 'boolean') return value
      throw new DecodeError('value', 'boolean or JSON schema expected')
    }
    if (!Array.isArray(value)) return null
    if (alternative.kind === 'schemas') return value.map((item) => nested(alternative.schema, item, state))
    return value.map((item) => {
      if (typeof item === 'string') return item
      if (item === null) return ''
      throw state.typeError(Array.isArray(item) ? 'array' : typeof item === 'boolean' ? 'bool' : typeof item, 'string')
    })
  }
  return { decode, zero: () => null }
}

/** Go decodes these with a decoder of its own run, which knows nothing of strictness, and whose first fault ends everything. */
function nested(schema: Schema, value: Json, outer: DecodeState): Json {
  const state = new DecodeState(false, outer.numbers, outer.share)
  state.path.push(...outer.path)
  const decoded = decoderOf(schema).decode(value, state)
  if (state.fault !== undefined) throw state.fault
  return decoded ?? null
}
