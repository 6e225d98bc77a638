import type { Pace, Steps } from '../../base/steps.ts'
import type { Json } from '../object.ts'
import { lightWeight } from '../weight.ts'
import type { DecodeState } from './decode-state.ts'
import type { Schema } from './schema.ts'

/** Decodes values. */
export interface Reader {
  readonly decode: Decode
  /**
   * Decodes values that may be large in steps. A twin of `decode`: with generators a pod takes 16 µs, without them 1 to 3 µs, and each
   * write decodes twice (a property test holds both to the same result).
   */
  readonly steps?: DecodeInSteps
}

/** Decodes values of one schema. `zero` makes a new value each time, which belongs to the caller. */
export interface Decoder extends Reader {
  readonly zero: () => Json
}

export type Decode = (value: Json, state: DecodeState) => Json | undefined
export type DecodeInSteps = (value: Json, state: DecodeState, pace: Pace) => Steps<Json | undefined>

/** The decoder of a schema, looked up lazily, because types refer to themselves. */
export type DecoderOf = (schema: Schema) => Decoder

/** Decodes light values at once, heavy ones in steps. */
export function* stepsOf({ decode, steps }: Reader, value: Json, state: DecodeState, pace: Pace): Steps<Json | undefined> {
  const weight = lightWeight(value)
  if (weight === undefined && steps !== undefined) return yield* steps(value, state, pace)
  if (pace.due(weight ?? 1)) yield
  return decode(value, state)
}
