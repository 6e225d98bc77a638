import { arrival, Pace, type Steps } from '../../base/steps.ts'
import type { FieldPlaces, NumberTexts } from '../json/json-parser.ts'
import { cloneJson, isObject, type Json, type JsonObject } from '../object.ts'
import { lightWeight } from '../weight.ts'
import { listDecoder, mapDecoder } from './decode-collections.ts'
import { scalarDecoder, scalarZero } from './decode-scalar.ts'
import { DecodeError, DecodeState } from './decode-state.ts'
import { structDecoder } from './decode-struct.ts'
import { type Decoder, stepsOf } from './decoder.ts'
import { exactIntegers } from './exact-integers.ts'
import { rememberEmptied } from './given-empty.ts'
import type { AnySchema, Schema } from './schema.ts'

export { DecodeError } from './decode-state.ts'

export interface DecodeOptions {
  /** Handling of unknown fields: rejected, reported in `warnings`, or ignored. Default `Ignore`. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Paths (`spec.replicas`) of duplicate fields, from the strict JSON decoder. */
  readonly duplicates?: readonly string[]
  /** The order of fields, from the strict JSON decoder of this very value. */
  readonly places?: FieldPlaces
  /** The original texts of numbers that JavaScript writes differently (`80.0`), from the strict JSON decoder of this very value. */
  readonly numbers?: NumberTexts
  /** The value belongs to the caller: parts in canonical form become part of the result without a copy. Default: everything is copied. */
  readonly share?: boolean
  /** Parts in canonical form, by identity: they are not examined (parts that an update shares with the stored object). */
  readonly known?: ReadonlySet<unknown>
}

export interface Decoded {
  /** A new object in Go's field order, with exactly the fields that Go would write. */
  readonly object: JsonObject
  /** `unknown field "spec.x"`, for `Warning` headers. */
  readonly warnings: readonly string[]
  /** The paths of dropped fields: of custom objects, whose decoder records them for an apply too. */
  readonly pruned?: readonly string[]
}

/**
 * Decodes JSON into a type as Go does, and returns it as Go would encode it: unknown fields are dropped, empty fields with `omitempty` left
 * out, all others present (`status: {}`), quantities and times in canonical form. The argument is not changed, and (without `share`) not
 * retained.
 *
 * Throws {@link DecodeError} with Go's text for a value of the wrong type, and under `Strict` for unknown and duplicate fields:
 * `json: cannot unmarshal string into Go struct field Container.spec.containers.ports of type []v1.ContainerPort`.
 */
export function decodeObject(schema: Schema, json: Json, options: DecodeOptions = {}): Decoded {
  const state = stateOf(options)
  return decodedOf(readWhole(schema, json, state), state, options)
}

/** Decodes large values in steps, and light ones at once. */
export const decodeObjectInSteps = (schema: Schema, json: Json, options: DecodeOptions = {}): Steps<Decoded> =>
  lightWeight(json) === undefined ? decodeHeavy(schema, json, options) : arrival(decodeObject(schema, json, options))

function* decodeHeavy(schema: Schema, json: Json, options: DecodeOptions): Steps<Decoded> {
  const state = stateOf(options)
  const steps = stepsOf(decoderOf(schema), json, state, new Pace())
  for (;;) {
    const step = withinDepth(() => steps.next())
    if (step.done === true) return decodedOf(checkedFault(step.value, state), state, options)
    yield
  }
}

const stateOf = ({ fieldValidation = 'Ignore', numbers, share, known, duplicates = [] }: DecodeOptions): DecodeState =>
  new DecodeState(fieldValidation !== 'Ignore', numbers, { share, known, repeats: duplicates.length > 0 })

function decodedOf(object: Json | undefined, state: DecodeState, options: DecodeOptions): Decoded {
  if (object === undefined || object === null || typeof object !== 'object' || Array.isArray(object))
    throw new DecodeError('type', 'the schema of an object is a struct')
  const mode = options.fieldValidation ?? 'Ignore'
  const warnings = mode === 'Ignore' ? [] : state.strictTexts(options.duplicates ?? [], options.places)
  if (mode === 'Strict' && warnings.length > 0) throw new DecodeError('strict', `strict decoding error: ${warnings.join(', ')}`)
  if (state.emptied !== undefined && isObject(object.metadata)) rememberEmptied(object.metadata, state.emptied)
  return { object, warnings }
}

/** Decodes any value of a type, such as one field of an object. Throws like {@link decodeObject}. */
export function decodeValue(schema: Schema, json: Json): Json {
  const state = new DecodeState(false, undefined)
  return readWhole(schema, json, state) ?? null
}

const readWhole = (schema: Schema, json: Json, state: DecodeState): Json | undefined =>
  checkedFault(
    withinDepth(() => decoderOf(schema).decode(json, state)),
    state,
  )

function withinDepth<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    // Only malicious values are nested so deeply that the stack overflows.
    if (error instanceof RangeError) throw new DecodeError('value', 'exceeded max depth')
    throw error
  }
}

function checkedFault<T>(value: T, state: DecodeState): T {
  if (state.fault !== undefined) throw state.fault
  return value
}

/** Go's encoding of a type's zero value: `{"metadata":{},"spec":{"containers":null},"status":{}}`. */
export function zeroValue(schema: Schema): Json {
  return decoderOf(schema).zero()
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
      return structDecoder(schema, decoderOf)
    case 'list':
      return listDecoder(schema, decoderOf)
    case 'map':
      return mapDecoder(schema, decoderOf)
    case 'any':
      return anyDecoder(schema)
    case 'scalar': {
      const zero = scalarZero(schema.scalar)
      const read = scalarDecoder(schema.scalar, schema.go ?? schema.scalar)
      return { decode: (value, state) => (value === null ? zero : read(value, state)), zero: () => zero }
    }
  }
}

function anyDecoder(schema: AnySchema): Decoder {
  const { alternative } = schema
  if (alternative === undefined)
    return {
      decode: (value, state) => {
        state.untracked()
        // Managed fields that cannot be read are dropped later.
        if (schema.go !== 'v1.FieldsV1') state.checkFloats(value)
        const own = state.share ? value : cloneJson(value)
        // Kubernetes keeps the text of such a value.
        return schema.go === 'runtime.RawExtension' && state.numbers !== undefined ? exactIntegers(value, own, state.numbers) : own
      },
      zero: () => null,
    }
  const decode = (value: Json, state: DecodeState): Json => {
    state.untracked()
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

/** Go decodes these with a separate decoder, which is not strict, and whose first fault ends everything. */
function nested(schema: Schema, value: Json, outer: DecodeState): Json {
  const state = new DecodeState(false, outer.numbers, { share: outer.share })
  state.path.push(...outer.path)
  const decoded = decoderOf(schema).decode(value, state)
  if (state.fault !== undefined) throw state.fault
  return decoded ?? null
}
