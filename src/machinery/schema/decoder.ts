import type { Pace, Steps } from '../../base/steps.ts'
import type { Json } from '../object.ts'
import { lightWeight } from '../weight.ts'
import type { DecodeState } from './decode-state.ts'
import type { Schema } from './schema.ts'

/** How values are read. */
export interface Reader {
  readonly decode: Decode
  /**
   * The same in steps, of what may be large. A twin of `decode`: generators take 16 µs for a pod that is decoded at once in 1 to 3 µs, and
   * each write decodes twice (a property holds both to the same result).
   */
  readonly steps?: DecodeInSteps
}

/** How values of one schema are read. `zero` makes a new value each time, which belongs to the caller. */
export interface Decoder extends Reader {
  readonly zero: () => Json
}

export type Decode = (value: Json, state: DecodeState) => Json | undefined
export type DecodeInSteps = (value: Json, state: DecodeState, pace: Pace) => Steps<Json | undefined>

/** Finds the decoder of a schema when a value comes: types refer to themselves. */
export type DecoderOf = (schema: Schema) => Decoder

/** Light values are decoded at once, heavy ones step by step. */
export function* stepsOf({ decode, steps }: Reader, value: Json, state: DecodeState, pace: Pace): Steps<Json | undefined> {
  const weight = steps === undefined ? 1 : lightWeight(value)
  if (weight === undefined && steps !== undefined) return yield* steps(value, state, pace)
  if (pace.due(weight)) yield
  return decode(value, state)
}
