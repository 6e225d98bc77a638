import type { Value } from '../values.ts'
import { type Meter, spend } from './meter.ts'

/** What a program that runs looks at. */
export interface Frame {
  readonly variables: Readonly<Record<string, Value>>
  /** Loop variables, outermost first; a loop that has failed has a `Failure` in its accumulator's place. */
  readonly locals: Value[]
  readonly meter: Meter
}

/** A part of a program, planned. */
export type Code = (frame: Frame) => Value

export const charge = (frame: Frame, cost: number): void => spend(frame.meter, cost)
