import { arrival, Pace, type Steps } from '../../base/steps.ts'
import { goQuote } from '../field-error.ts'
import type { NumberTexts } from '../json/json-parser.ts'
import { cloneJson, type Json, type JsonObject } from '../object.ts'
import { lightWeight } from '../weight.ts'
import { listDecoder, mapDecoder } from './decode-collections.ts'
import { scalarDecoder, scalarZero } from './decode-scalar.ts'
import { DecodeError, DecodeState } from './decode-state.ts'
import { structDecoder } from './decode-struct.ts'
import { type Decoder, stepsOf } from './decoder.ts'
import type { AnySchema, Schema } from './schema.ts'

export { DecodeError } from './decode-state.ts'

export interface DecodeOptions {
  /** What is done with fields that the type does not have: refused, told in `warnings`, or passed over. Default `Ignore`. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Paths (`spec.replicas`) that the text had twice, from the strict JSON reader. */
  readonly duplicates?: readonly string[]
  /** The texts of numbers that JavaScript would write otherwise (`80.0`), from the strict JSON reader of this very value. */
  readonly numbers?: NumberTexts
  /**
   * The value is the caller's own: parts that are as Go would write them already are taken as they are, which costs no copy. Default:
   * everything is copied.
   */
  readonly share?: boolean
  /**
   * Parts that are as Go would write them already, by identity: they are not looked at (what an update has in common with what is stored).
   */
  readonly known?: ReadonlySet<unknown>
}

export interface Decoded {
  /** A new object in Go's field order, with exactly the fields that Go would write. */
  readonly object: JsonObject
  /** `unknown field "spec.x"`, for `Warning` headers. */
  readonly warnings: readonly string[]
}

/**
 * Reads JSON as Go reads it into the type, and writes it as Go would write it: unknown fields are dropped, empty fields with `omitempty`
 * left out, all others present (`status: {}`), quantities and times in canonical form. The argument is not changed, and (without `share`)
 * not kept.
 *
 * Throws {@link DecodeError} with Go's text when a value has the wrong type, and under `Strict` for unknown and duplicate fields:
 * `json: cannot unmarshal string into Go struct field Container.spec.containers.ports of type []v1.ContainerPort`.
 */
export function decodeObject(schema: Schema, json: Json, options: DecodeOptions = {}): Decoded {
  const state = stateOf(options)
  return decodedOf(readWhole(schema, json, state), state, options)
}

/** The same in steps: of what is large. What is light is decoded now. */
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
