import type { Overload } from '../environment.ts'
import type { CelType } from '../types.ts'
import type { Value } from '../values.ts'

/**
 * Declares an overload. The implementation declares the types of its arguments, which the checker or the choice of the overload has
 * verified (the only place where values get static types).
 */
export function overload<A extends readonly (Value | undefined)[]>(
  id: string,
  params: readonly CelType[],
  result: CelType,
  impl: (...args: A) => Value,
): Overload {
  return { id, member: false, params, result, impl: impl as unknown as Overload['impl'] }
}

/** Declares a member overload: the first parameter is the target. */
export function member<A extends readonly (Value | undefined)[]>(
  id: string,
  params: readonly CelType[],
  result: CelType,
  impl: (...args: A) => Value,
): Overload {
  return { id, member: true, params, result, impl: impl as unknown as Overload['impl'] }
}
