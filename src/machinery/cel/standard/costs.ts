import { ANY, type ArgumentEstimate, actualSize, COST, ONE, plus, type Range, scaled, times, traversed } from '../cost.ts'
import type { FunctionCost, Library } from '../environment.ts'
import type { Value } from '../values.ts'

/** The size of an argument; any, if it is not known. */
export const sizeOf = (a: ArgumentEstimate | undefined): Range => a?.size ?? ANY

/** A function that reads its argument once, or `factor` times; with `keepsSize` its result is as long as its argument. */
export function perCharacter(arg: number, options: { readonly factor?: number; readonly keepsSize?: boolean } = {}): FunctionCost {
  const factor = options.factor ?? 1
  return {
    estimate: (args) => {
      const size = sizeOf(args[arg])
      return { cost: scaled(size, factor * COST.traversal), ...(options.keepsSize ? { size } : {}) }
    },
    actual: (args) => traversed(args[arg], factor),
    early: true,
  }
}

/** A function of a fixed cost. */
export const nominal = (cost = 1): FunctionCost => ({ estimate: () => ({ cost: { min: cost, max: cost } }), actual: () => cost })

/** The cost of matching: the cost of the text times that of the pattern; an empty text is not free. */
export const regexCost = (text: number, pattern: number): number => Math.ceil((text + 1) * COST.traversal) * Math.ceil(pattern * COST.regex)

export const matching: FunctionCost = {
  estimate: ([text, pattern]) => {
    const size = sizeOf(text)
    const cost = times(scaled(plus(size, ONE), COST.traversal), scaled(sizeOf(pattern), COST.regex))
    return { cost, size: { min: 0, max: size.max } }
  },
  actual: ([text, pattern]) => regexCost(actualSize(text ?? null), actualSize(pattern ?? null)),
  early: true,
}

const shorter = ([a, b]: readonly Value[]) => Math.ceil(Math.min(actualSize(a ?? null), actualSize(b ?? null)) * COST.traversal)

/** The cost of comparing two things: of the shorter one. */
export const equating: FunctionCost = {
  estimate: ([a, b]) => {
    const max = Math.min(sizeOf(a).max, sizeOf(b).max)
    return { cost: scaled({ min: max > 0 ? 1 : 0, max }, COST.traversal) }
  },
  actual: shorter,
}

const comparing: FunctionCost = {
  estimate: (args, overload) => (/_(string|bytes)$/.test(overload) ? equating.estimate?.(args, overload) : undefined),
  actual: (args) => (args.every((a) => typeof a === 'string' || a instanceof Uint8Array) ? shorter(args) : 1),
}

/** Costs of the language's own operators and functions; others cost 1. */
export const STANDARD_COSTS: Library = {
  costs: {
    '_==_': equating,
    '_!=_': equating,
    '_<_': comparing,
    '_<=_': comparing,
    '_>_': comparing,
    '_>=_': comparing,
    '_+_': {
      estimate: ([a, b], overload) => {
        if (!['add_string', 'add_bytes', 'add_list'].includes(overload)) return undefined
        const size = plus(sizeOf(a), sizeOf(b))
        return { cost: overload === 'add_list' ? ONE : scaled(size, COST.traversal), size }
      },
      actual: ([a, b], _result, overload) =>
        overload === 'add_string' || overload === 'add_bytes'
          ? Math.ceil((actualSize(a ?? null) + actualSize(b ?? null)) * COST.traversal)
          : 1,
    },
    '@in': {
      estimate: ([, list], overload) => (overload === 'in_list' ? { cost: sizeOf(list) } : undefined),
      actual: ([, list], _result, overload) => (overload === 'in_list' ? actualSize(list ?? null) : 1),
    },
    contains: {
      estimate: ([text, part]) => ({ cost: times(scaled(sizeOf(text), COST.traversal), scaled(sizeOf(part), COST.traversal)) }),
      actual: ([text, part]) => traversed(text) * traversed(part),
      early: true,
    },
    startsWith: perCharacter(1),
    endsWith: perCharacter(1),
    matches: {
      // `matches(text, pattern)` costs 1.
      estimate: (args, overload) => (overload === 'matches' ? undefined : { cost: matching.estimate?.(args, overload)?.cost ?? ANY }),
      actual: (args, result, overload) => (overload === 'matches' ? 1 : (matching.actual?.(args, result, overload) ?? 1)),
      early: true,
    },
    bytes: {
      estimate: ([text], overload) =>
        overload === 'string_to_bytes'
          ? { cost: scaled(sizeOf(text), COST.traversal), size: { min: sizeOf(text).min, max: sizeOf(text).max * 4 } }
          : undefined,
      actual: ([text], _result, overload) => (overload === 'string_to_bytes' ? traversed(text) : 1),
    },
    string: {
      estimate: ([bytes], overload) =>
        overload === 'bytes_to_string'
          ? { cost: scaled(sizeOf(bytes), COST.traversal), size: { min: Math.floor(sizeOf(bytes).min / 4), max: sizeOf(bytes).max } }
          : undefined,
      actual: ([bytes], _result, overload) => (overload === 'bytes_to_string' ? traversed(bytes) : 1),
    },
  },
}
