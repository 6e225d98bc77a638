import type { Expr } from './ast.ts'
import type { CelType } from './types.ts'
import { CelMap, codePointsOf, isList, type Value } from './values.ts'

/** Least and greatest value of a cost, or of a size in characters, bytes, elements or entries. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** Unknown or infinite. Sums and products saturate here. */
export const UNBOUNDED = 2 ** 64

/** cel-go's cost factors; one unit is about the time to read one variable. */
export const COST = {
  access: 1,
  list: 10,
  map: 30,
  struct: 40,
  /** Per character or byte that is read. */
  traversal: 0.1,
  /** Per character of a regular expression. */
  regex: 0.25,
} as const

const capped = (n: number) => Math.min(n, UNBOUNDED)

export const exactly = (n: number): Range => ({ min: n, max: n })
export const ONE: Range = exactly(1)
export const ANY: Range = { min: 0, max: UNBOUNDED }
export const plus = (a: Range, b: Range): Range => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) })
export const times = (a: Range, b: Range): Range => ({ min: capped(a.min * b.min), max: capped(a.max * b.max) })
export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) })
/** The cost of reading so many elements, rounded up. */
export const scaled = (size: Range, factor: number): Range => ({
  min: capped(Math.ceil(size.min * factor)),
  max: capped(Math.ceil(size.max * factor)),
})

/** The known properties of an argument before evaluation. */
export interface ArgumentEstimate {
  readonly expr: Expr
  readonly type: CelType
  readonly size: Range
  /** Of lists: the size of an element. */
  readonly element: Range
}

/** The size of a value for costs: the length of strings, lists and maps, and 1 for all else. */
export function actualSize(value: Value): number {
  if (typeof value === 'string') return codePointsOf(value)
  if (value instanceof Uint8Array || isList(value)) return value.length
  if (value instanceof CelMap) return value.size
  return 1
}

/** The cost of reading through a value. */
export const traversed = (value: Value | undefined, factor = 1): number => Math.ceil(actualSize(value ?? null) * factor * COST.traversal)
