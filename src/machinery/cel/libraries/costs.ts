import { type ArgumentEstimate, actualSize, COST, exactly, ONE, plus, type Range, scaled, times, traversed, UNBOUNDED } from '../cost.ts'
import type { CallEstimate, FunctionCost, Library } from '../environment.ts'
import { perCharacter, sizeOf } from '../standard/costs.ts'
import { CelMap, isList, isStruct, type Value } from '../values.ts'

const isText = (v: Value | undefined) => typeof v === 'string' || v instanceof Uint8Array

/** Reads every element of a list, and every character of texts in it; reads a text as a whole. */
const throughList: FunctionCost = {
  estimate: ([target]) => {
    if (target === undefined) return undefined
    if (target.type.kind !== 'list') return { cost: scaled(target.size, COST.traversal) }
    const { kind } = target.type.element
    const each = kind === 'string' || kind === 'bytes' ? plus(ONE, scaled(target.element, COST.traversal)) : ONE
    return { cost: times(target.size, each) }
  },
  actual: ([target]) => traversal(target ?? null),
}

/** The cost of reading a value with all that it holds. */
function traversal(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * COST.traversal)
  if (value instanceof Uint8Array) return Math.floor(value.length * COST.traversal)
  if (isList(value)) return value.reduce((sum: number, v) => sum + traversal(v), 0)
  if (value instanceof CelMap) return [...value.entries()].reduce((sum, [k, v]) => sum + traversal(k) + traversal(v), 0)
  if (value !== null && isStruct(value))
    return value.names().reduce((sum, name) => sum + traversal(name) + traversal(value.get(name) ?? null), 0)
  return 1
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
    // cel-go takes a negative limit for a very large one.
    const given = expr?.kind === 'literal' && expr.value.type === 'int' ? Number(BigInt.asUintN(64, expr.value.value)) : size.max
    return { cost: scaled(size, 2 * COST.traversal), size: { min: 0, max: given } }
  },
  actual: ([text]) => traversed(text, 2),
  early: true,
}

const joining: FunctionCost = {
  estimate: ([list, separator]) => {
    if (list === undefined) return undefined
    let size = list.type.kind === 'list' ? times(list.size, list.element) : exactly(0)
    if (separator !== undefined) {
      const between = { min: Math.max(0, list.size.min - 1), max: Math.max(0, list.size.max - 1) }
      size = plus(size, times(separator.size, between))
    }
    return { cost: scaled(size, COST.traversal), size }
  },
  actual: (_args, result) => traversed(result, 2),
}

/** `strings.quote`: every character may be escaped, and quotes are added. */
const quoting: FunctionCost = {
  estimate: ([text]) => {
    const size = sizeOf(text)
    return { cost: scaled(size, COST.traversal), size: plus(times(size, { min: 1, max: 2 }), exactly(2)) }
  },
  actual: ([text]) => traversed(text),
  early: true,
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

/** Makes a list: the cost of its elements, of the call and of the list. */
const making = (size: Range, factor = 1): CallEstimate => ({ cost: plus(scaled(size, factor), exactly(COST.list + 1)), size })
const made = (size: number, factor = 1): number => Math.floor(size * factor) + COST.list + 1

/** The value of an argument that is an integer literal: negative ones count as 0. */
function literalInt(argument: ArgumentEstimate | undefined): number | undefined {
  const { expr } = argument ?? {}
  return expr?.kind === 'literal' && expr.value.type === 'int' ? Math.max(0, Number(expr.value.value)) : undefined
}

/** Lists are as long as the positions say: an end before the start counts as a very long one (cel-go subtracts unsigned integers). */
const slicing: FunctionCost = {
  estimate: ([list, from, to]) => {
    const length = (literalInt(to) ?? sizeOf(list).max) - (literalInt(from) ?? 0)
    return making(exactly(length < 0 ? UNBOUNDED : length))
  },
  actual: (_args, result) => made(actualSize(result)),
}

const reversing: FunctionCost = {
  estimate: ([list]) => making(sizeOf(list)),
  actual: ([list]) => made(actualSize(list ?? null)),
  early: true,
}

const ranging: FunctionCost = {
  estimate: ([count]) => making(exactly(literalInt(count) ?? UNBOUNDED)),
  actual: (_args, result) => made(actualSize(result)),
}

const flattening: FunctionCost = {
  estimate: ([list, depth]) => making(sizeOf(list), depth === undefined ? 1 : (literalInt(depth) ?? UNBOUNDED)),
  actual: ([list, depth]) => made(actualSize(list ?? null), typeof depth === 'bigint' ? Number(depth) : 1),
  early: true,
}

/** Compares all elements of a list with each other, in two turns, and reads those that are texts. */
const comparingAll = (arg: number): FunctionCost => ({
  estimate: (args, overload) => making(times(sizeOf(args[arg]), sizeOf(args[arg])), /^list_(string|bytes)_/.test(overload) ? TEXTS : 2),
  actual: (args) => {
    const list = args[arg]
    if (list === undefined || !isList(list)) return made(0)
    return made(list.length ** 2, isText(list[0]) ? TEXTS : 2)
  },
  early: true,
})
const TEXTS = 2 + COST.traversal

/** Costs of cel-go's extensions as Kubernetes counts them. */
export const EXTENSION_COSTS: Library = {
  costs: {
    ...Object.fromEntries(['isSorted', 'sum', 'min', 'max', 'indexOf', 'lastIndexOf'].map((name) => [name, throughList])),
    ...Object.fromEntries(['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => [name, perCharacter(0, { keepsSize: true })])),
    replace: replacing,
    split: splitting,
    join: joining,
    format: formatting,
    'strings.quote': quoting,
    'sets.contains': crossing(1),
    'sets.intersects': crossing(1),
    'sets.equivalent': crossing(2),
    slice: slicing,
    reverse: reversing,
    flatten: flattening,
    distinct: comparingAll(0),
    sort: comparingAll(0),
    '@sortByAssociatedKeys': comparingAll(1),
    'lists.range': ranging,
  },
}
