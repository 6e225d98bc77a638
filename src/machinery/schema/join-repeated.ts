import { Pace, type Steps } from '../../base/steps.ts'
import type { FieldPlaces, NumberTexts, RepeatedValues } from '../json/json-parser.ts'
import { getOwn, isObject, type Json, type JsonObject, setOwn } from '../object.ts'
import { decodeValue } from './decode.ts'
import { DecodeError } from './decode-state.ts'
import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from './schema.ts'

/** A text with duplicate members, as the strict JSON decoder read it: the last value of each, and the earlier ones. */
export interface RepeatingText {
  readonly json: Json
  readonly repeated: RepeatedValues
  readonly numbers?: NumberTexts | undefined
  readonly places?: FieldPlaces | undefined
}

interface JoinedText {
  readonly json: Json
  readonly numbers: NumberTexts
  readonly places: FieldPlaces
}

/**
 * Go decodes each value of a duplicate member over the result of the earlier ones: structs are joined field by field, lists item by item,
 * maps key by key, and a null resets only pointers, lists and maps. Returns the JSON of the text with its duplicate members joined that
 * way.
 */
export function* joinRepeated(schema: Schema, { json, repeated, numbers, places }: RepeatingText): Steps<JoinedText> {
  const duplicates = places?.duplicates ?? new Map<string, number>()
  try {
    const joining = new Joining(repeated, new Map(numbers), new Map(places?.fields))
    const joined = yield* joining.into(schema, undefined, json)
    joining.cut()
    return { json: joined, numbers: joining.numbers, places: { fields: joining.places, duplicates } }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Only malicious values are nested so deeply that the stack overflows: decoding refuses them.
    return { json, numbers: numbers ?? new Map(), places: places ?? { fields: new Map(), duplicates } }
  }
}

/** One run. It copies lists and objects before it changes them. */
class Joining {
  readonly numbers: Map<object, ReadonlyMap<string | number, string>>
  readonly places: Map<object, ReadonlyMap<string, number>>
  readonly #repeated: RepeatedValues
  /** The entries of `numbers` and `places` that this run has made: only these change. */
  readonly #texts = new Map<object, Map<string | number, string>>()
  readonly #places = new Map<object, Map<string, number>>()
  /** The length of each list. Items of a longer earlier list may follow: as in Go, a later, longer list is decoded over them. */
  readonly #lengths = new Map<Json[], number>()
  readonly #pace = new Pace()

  constructor(repeated: RepeatedValues, numbers: Joining['numbers'], places: Joining['places']) {
    this.#repeated = repeated
    this.numbers = numbers
    this.places = places
  }

  /** Removes what follows the end of lists. */
  cut(): void {
    for (const [list, length] of this.#lengths) list.length = length
  }

  *into(schema: Schema, before: Json | undefined, value: Json): Steps<Json> {
    if (this.#pace.due()) yield
    // Go reports the first fault.
    if (before !== undefined && before !== null && !fits(schema, before)) return before
    switch (schema.type) {
      case 'struct':
        return value === null ? (before ?? null) : yield* this.#struct(schema, before, value)
      case 'map':
        return yield* this.#map(schema, before, value)
      case 'list':
        return yield* this.#list(schema, before, value)
      case 'any':
        return schema.alternative !== undefined && isObject(value) ? yield* this.into(schema.alternative.schema, undefined, value) : value
      case 'scalar':
        return value === null && isPlain(schema) ? (before ?? null) : value
    }
  }

  *#struct(schema: StructSchema, before: Json | undefined, value: Json): Steps<Json> {
    if (!isObject(value)) return value
    const result = isObject(before) ? before : {}
    for (const name of Object.keys(value)) {
      const field = schema.fields.get(name)
      for (const given of this.#valuesOf(value, name))
        setOwn(result, name, yield* this.#field(field, getOwn(result, name) as Json | undefined, given))
      this.#keepText(value, result, name)
    }
    this.#keepPlaces(value, result)
    return result
  }

  *#field(field: Field | undefined, before: Json | undefined, value: Json): Steps<Json> {
    if (field === undefined || (value === null && field.pointer === true)) return value
    return yield* this.into(field.schema, before, value)
  }

  *#map(schema: MapSchema, before: Json | undefined, value: Json): Steps<Json> {
    if (!isObject(value)) return value
    const result = isObject(before) ? before : {}
    for (const name of Object.keys(value)) {
      for (const given of this.#valuesOf(value, name)) setOwn(result, name, yield* this.into(schema.values, undefined, given))
      this.#keepText(value, result, name)
    }
    return result
  }

  *#list(schema: ListSchema, before: Json | undefined, value: Json): Steps<Json> {
    if (!Array.isArray(value)) return value
    const result = Array.isArray(before) && value.length > 0 ? before : []
    for (const [i, item] of value.entries()) {
      result[i] = yield* this.into(schema.items, result[i], item)
      this.#keepText(value, result, i)
    }
    this.#lengths.set(result, value.length)
    return result
  }

  #valuesOf(object: JsonObject, name: string): readonly Json[] {
    const last = object[name] ?? null
    const earlier = this.#repeated.get(object)?.get(name)
    return earlier === undefined ? [last] : [...earlier, last]
  }

  #keepText(from: object, to: object, key: string | number): void {
    const text = this.numbers.get(from)?.get(key)
    const texts = this.#texts.get(to)
    if (text === undefined) texts?.delete(key)
    else if (texts !== undefined) texts.set(key, text)
    else this.numbers.set(to, madeFor(to, this.#texts, [[key, text]]))
  }

  /** The first place of a member counts. */
  #keepPlaces(from: object, to: object): void {
    const given = this.places.get(from)
    if (given === undefined) return
    const places = this.#places.get(to)
    if (places === undefined) this.places.set(to, madeFor(to, this.#places, given))
    else for (const [name, place] of given) if (!places.has(name)) places.set(name, place)
  }
}

function madeFor<K, V>(container: object, all: Map<object, Map<K, V>>, entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const made = new Map(entries)
  all.set(container, made)
  return made
}

/** Types whose decoder leaves the value as it is at a null. */
const PLAIN = new Set(['string', 'bool', 'int32', 'int64', 'integer', 'float64', 'number', 'int-or-string'])

const isPlain = ({ scalar }: ScalarSchema): boolean => PLAIN.has(scalar)

function fits(schema: Schema, value: Json): boolean {
  if (schema.type === 'list') return Array.isArray(value)
  if (schema.type === 'any') return true
  if (schema.type !== 'scalar') return isObject(value)
  try {
    decodeValue(schema, value)
    return true
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}
