import { ANY, type ArgumentEstimate, actualSize, COST, exactly, ONE, plus, scaled, times, traversed, UNBOUNDED } from '../cost.ts'
import type { FunctionCost, Library } from '../environment.ts'
import { perCharacter, sizeOf } from '../standard/costs.ts'
import { isList, type Value } from '../values.ts'

const isText = (v: Value | undefined) => typeof v === 'string' || v instanceof Uint8Array

/** Reads every element of a list, and every character of string elements; reads a string as a whole. */
const throughList: FunctionCost = {
  estimate: ([target]) => {
    if (target === undefined) return undefined
    if (target.type.kind !== 'list') return { cost: scaled(target.size, COST.traversal) }
    const { kind } = target.type.element
    const each = kind === 'string' || kind === 'bytes' ? plus(ONE, scaled(target.element, COST.traversal)) : ONE
    return { cost: times(target.size, each) }
  },
  actual: ([target]) => {
    if (target === undefined) return 1
    if (!isList(target)) return traversed(target)
    return target.reduce((sum: number, v) => sum + (isText(v) ? 1 + traversed(v) : 1), 0)
  },
}

/** `replace`: the greatest length is reached if the shortest match is replaced by the longest text, as often as possible. */
const replacing: FunctionCost = {
  estimate: ([text, from, to]) => {
    const [size, cut, put] = [sizeOf(text), sizeOf(from), sizeOf(to)]
    const most = cut.min === 0 ? size.max + 1 : put.max <= cut.min ? 0 : Math.ceil(size.max / cut.min)
    const least = cut.max === 0 ? size.min + 1 : cut.max <= put.min ? 0 : Math.ceil(size.min / cut.max)
    const kept = {
      min: cut.max === 0 || cut.max <= put.min ? size.min : 0,
      max: cut.min === 0 || put.max <= cut.min ? size.max : 0,
    }
    return { cost: scaled(size, 2 * COST.traversal), size: plus(times({ min: least, max: most }, put), kept) }
  },
  actual: ([text]) => traversed(text, 2),
  early: true,
}

const splitting: FunctionCost = {
  estimate: ([text, , limit]) => {
    const size = sizeOf(text)
    const { expr } = limit ?? {}
    const given = expr?.kind === 'literal' && expr.value.type === 'int' && expr.value.value >= 0n ? Number(expr.value.value) : size.max
    return { cost: scaled(size, 2 * COST.traversal), size: { min: 0, max: given } }
  },
  actual: ([text]) => traversed(text, 2),
  early: true,
}

const joining: FunctionCost = {
  estimate: ([list, separator]) => {
    if (list === undefined) return undefined
    let size = times(list.size, list.element)
    if (separator !== undefined) {
      const between = { min: Math.max(0, list.size.min - 1), max: Math.max(0, list.size.max - 1) }
      size = plus(size, times(separator.size, between))
    }
    return { cost: scaled(size, COST.traversal), size }
  },
  actual: (_args, result) => traversed(result, 2),
}

const formatting: FunctionCost = {
  estimate: ([template]) => ({ cost: scaled(sizeOf(template), COST.traversal) }),
  actual: ([template]) => traversed(template),
}

/** Compares every element of one list with every one of the other. */
const crossing = (factor: number): FunctionCost => ({
  estimate: ([a, b]) => ({ cost: plus(scaled(times(sizeOf(a), sizeOf(b)), factor), ONE) }),
  actual: ([a, b]) => 1 + actualSize(a ?? null) * actualSize(b ?? null) * factor,
  early: true,
})

/** Makes a list out of another one. */
const remaking = (turns: (size: number) => number): FunctionCost => ({
  estimate: ([list]) => {
    const size = sizeOf(list)
    const most = Math.min(UNBOUNDED, turns(size.max))
    return { cost: plus(exactly(COST.list + 1), { min: Math.min(turns(size.min), most), max: most }), size: { min: 0, max: size.max } }
  },
  actual: ([list]) => COST.list + 1 + turns(actualSize(list ?? null)),
  early: true,
})

/** The value of an argument that is an integer literal. */
function literalInt(argument: ArgumentEstimate | undefined): number | undefined {
  const { expr } = argument ?? {}
  return expr?.kind === 'literal' && expr.value.type === 'int' && expr.value.value >= 0n ? Number(expr.value.value) : undefined
}

const oneLevel = remaking((n) => n)

/** `flatten`: the length of the result is unknown unless the depth is a literal. */
const flattening: FunctionCost = {
  ...oneLevel,
  estimate: (args, more) =>
    args[1] !== undefined && args[1].expr?.kind !== 'literal' ? { cost: ANY, size: ANY } : oneLevel.estimate?.(args, more),
}

/** Costs of cel-go's extensions as Kubernetes counts them. */
export const EXTENSION_COSTS: Library = {
  costs: {
    ...Object.fromEntries(['isSorted', 'sum', 'min', 'max', 'indexOf', 'lastIndexOf'].map((name) => [name, throughList])),
    ...Object.fromEntries(['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => [name, perCharacter(0, { keepsSize: true })])),
    replace: replacing,
    split: splitting,
    join: joining,
    format: formatting,
    'strings.quote': perCharacter(0),
    'sets.contains': crossing(1),
    'sets.intersects': crossing(1),
    'sets.equivalent': crossing(2),
    slice: remaking((n) => n),
    reverse: remaking((n) => n),
    flatten: flattening,
    distinct: remaking((n) => (n * (n + 1)) / 2),
    sort: remaking((n) => n * n),
    '@sortByAssociatedKeys': remaking((n) => n * n),
    'lists.range': {
      estimate: ([count]) => {
        const given = literalInt(count)
        const size = given === undefined ? ANY : exactly(given)
        return { cost: plus(exactly(COST.list + 1), size), size }
      },
      actual: (_args, result) => COST.list + 1 + actualSize(result),
    },
  },
}
