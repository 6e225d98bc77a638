import type { Overload } from '../environment.ts'
import type { CelType } from '../types.ts'
import type { Value } from '../values.ts'

/**
 * Declares an overload. The implementation names the types of its arguments: the checker, or the match at run time, has seen to it that
 * they are so (the one place where values become typed arguments).
 */
export function overload<A extends readonly (Value | undefined)[]>(
  id: string,
  params: readonly CelType[],
  result: CelType,
  impl: (...args: A) => Value,
): Overload {
  return { id, member: false, params, result, impl: impl as unknown as Overload['impl'] }
}

/** The same for a member call: the first parameter is the target. */
export function member<A extends readonly (Value | undefined)[]>(
  id: string,
  params: readonly CelType[],
  result: CelType,
  impl: (...args: A) => Value,
): Overload {
  return { id, member: true, params, result, impl: impl as unknown as Overload['impl'] }
}
