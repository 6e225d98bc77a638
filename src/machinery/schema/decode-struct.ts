import type { Pace, Steps } from '../../base/steps.ts'
import type { Json, JsonObject } from '../object.ts'
import type { DecodeState, PathField } from './decode-state.ts'
import { type Decoder, type DecoderOf, type Reader, stepsOf } from './decoder.ts'
import { rememberEmpty } from './given-empty.ts'
import type { Field, StructSchema } from './schema.ts'

/** The decoder of a field; fields that decode to undefined are left out. */
interface FieldPlan extends PathField, Reader {
  readonly index: number
  /** The value of a field that the body does not contain. */
  readonly absent: (() => Json) | undefined
}

/** Decodes the fields of a struct, given in any order, into Go's order. */
export function structDecoder(schema: StructSchema, decoderOf: DecoderOf): Decoder {
  const go = schema.go ?? schema.name ?? 'struct'
  let plans: readonly FieldPlan[] | undefined
  let byName: ReadonlyMap<string, FieldPlan> = new Map()
  /** Number of fields that are always present. */
  let always = 0
  /** Compiled at the first value, because types refer to themselves. */
  const ready = (): readonly FieldPlan[] => {
    if (plans === undefined) {
      plans = [...schema.fields].map(([name, field], index) => planField(schema, { name, field, index }, decoderOf))
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
    // `for in` is the fastest loop over members; JSON has no inherited ones.
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

/** The state of decoding one struct. */
class StructReading {
  readonly slots: (Json | undefined)[]
  readonly #value: JsonObject
  readonly #state: DecodeState
  #empty: string[] | undefined
  /** True while the value is in Go's form: fields in order, none unknown, none missing, each canonical. */
  #same: boolean
  #last = -1
  #found = 0

  constructor(value: JsonObject, state: DecodeState, fields: number) {
    this.#value = value
    this.#state = state
    this.#same = state.share
    this.slots = new Array<Json | undefined>(fields)
  }

  /** The member of a field; `plan` is undefined for an unknown field, which is reported. */
  item(name: string, plan: FieldPlan | undefined): Json | undefined {
    // Reading a member of a very large object is expensive, so unknown members are read only while they can still be reported.
    const item = plan !== undefined || this.#state.tellsUnknown ? this.#value[name] : undefined
    if (item !== undefined && plan !== undefined) return item
    this.#same = false
    if (item !== undefined) this.#state.unknown(name, this.#value)
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
      if (decoded === null) this.#state.emptiedField(plan.name, Array.isArray(item) ? 'list' : 'map')
    }
    if (decoded !== item || plan.index < this.#last) this.#same = false
    this.#last = plan.index
    if (plan.absent !== undefined) this.#found++
  }

  /** True if the value is in Go's form; `always` is the number of fields that are always present. */
  isSame(always: number): boolean {
    return this.#same && this.#found === always
  }

  result(built: JsonObject): JsonObject {
    for (const name of this.#empty ?? []) rememberEmpty(built, name, Array.isArray(this.#value[name]) ? 'list' : 'map')
    return built
  }
}

function planField(
  struct: StructSchema,
  { name, field, index }: { readonly name: string; readonly field: Field; readonly index: number },
  decoderOf: DecoderOf,
): FieldPlan {
  const decoder = decoderOf(field.schema)
  const inline = field.inlineOf === undefined ? '' : `${field.inlineOf}.`
  const plan = { name, goPath: `${inline}${name}`, struct: struct.name ?? '', index }
  const { decode, steps } = decoder
  const completed = (complete: (decoded: Json | undefined) => Json | undefined) => ({
    decode: (v: Json, s: DecodeState) => complete(decode(v, s)),
    ...(steps && {
      *steps(v: Json, s: DecodeState, pace: Pace) {
        return complete(yield* steps(v, s, pace))
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
  if (omit === undefined) return { ...plan, ...(isStoredSlice(struct, field) ? completed(nullWhenEmpty) : plain), absent: decoder.zero }
  return { ...plan, ...completed((decoded) => (decoded === undefined || omit(decoded) ? undefined : decoded)), absent: undefined }
}

/**
 * Kubernetes stores objects as protobuf, which has no empty lists and maps: `rules: []` becomes `rules: null`, in a dry run, too. This does
 * not apply to items of a list of objects, which are not stored as such.
 */
function isStoredSlice(struct: StructSchema, field: Field): boolean {
  const list = struct.fields.get('metadata')?.schema
  return (field.schema.type === 'list' || field.schema.type === 'map') && !(list?.type === 'struct' && list.name === 'ListMeta')
}

const nullWhenEmpty = (value: Json | undefined): Json | undefined => {
  if (value === null || typeof value !== 'object') return value
  return (Array.isArray(value) ? value.length === 0 : isEmptyMap(value)) ? null : value
}

/** When Go leaves a field out; undefined if never. `omitempty` has no effect on structs. */
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
