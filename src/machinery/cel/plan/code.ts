import type { Value } from '../values.ts'
import { type Meter, spend } from './meter.ts'

/** The state of a running program. */
export interface Frame {
  readonly variables: Readonly<Record<string, Value>>
  /** Loop variables, outermost first; a loop that failed has a `Failure` in place of its accumulator. */
  readonly locals: Value[]
  readonly meter: Meter
}

/** A compiled part of a program. */
export type Code = (frame: Frame) => Value

export const charge = (frame: Frame, cost: number): void => spend(frame.meter, cost)
