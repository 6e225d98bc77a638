import { type Expr, ident } from '../ast.ts'
import type { Library, Overload } from '../environment.ts'
import { binding, MAP, type MacroCall } from '../macros.ts'
import { fits } from '../overload-choice.ts'
import { member, overload } from '../standard/declare.ts'
import { checkedDuration, checkedInt, checkedUint } from '../standard/numbers.ts'
import { order } from '../standard/operators.ts'
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, listOf, param, STRING, TIMESTAMP, UINT } from '../types.ts'
import { CelError, containsAll, Duration, distinctValues, equals, intersects, isList, typeName, Uint, type Value } from '../values.ts'

const A = param('A')
type List = readonly Value[]

const COMPARABLE: readonly CelType[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES]

const sorted = (l: List) => l.every((v, i) => i === 0 || (order(l[i - 1] as Value, v) ?? 0) <= 0)

function extreme(l: List, sign: number, name: string): Value {
  const [first, ...rest] = l
  if (first === undefined) throw new CelError(`${name} called on empty list`)
  return rest.reduce((best, v) => ((order(v, best) ?? 0) * sign > 0 ? v : best), first)
}

const add = (a: Value, b: Value): Value => {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a + b)
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (a instanceof Uint && b instanceof Uint) return new Uint(checkedUint(a.value + b.value))
  if (a instanceof Duration && b instanceof Duration) return checkedDuration(a.nanos + b.nanos)
  throw new CelError('no such overload')
}

const forEach = (types: readonly CelType[], make: (t: CelType) => Overload) => types.map(make)
const zero: Readonly<Record<string, Value>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) }

const position = (at: number) => BigInt(at)

/** Kubernetes' list library: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`. */
export const LISTS: Library = {
  functions: {
    isSorted: forEach(COMPARABLE, (t) => member(`list_${t.kind}_is_sorted`, [listOf(t)], BOOL, sorted)),
    sum: forEach([INT, UINT, DOUBLE, DURATION], (t) =>
      member(`list_${t.kind}_sum`, [listOf(t)], t, (l: List) => l.reduce(add, zero[t.kind] as Value)),
    ),
    min: forEach(COMPARABLE, (t) => member(`list_${t.kind}_min`, [listOf(t)], t, (l: List) => extreme(l, -1, 'min'))),
    max: forEach(COMPARABLE, (t) => member(`list_${t.kind}_max`, [listOf(t)], t, (l: List) => extreme(l, 1, 'max'))),
    indexOf: [member('list_a_index_of_int', [listOf(A), A], INT, (l: List, v: Value) => position(l.findIndex((x) => equals(x, v))))],
    lastIndexOf: [
      member('list_a_last_index_of_int', [listOf(A), A], INT, (l: List, v: Value) => position(l.findLastIndex((x) => equals(x, v)))),
    ],
  },
}

function slice(l: List, start: bigint, end: bigint): List {
  if (start < 0n || end < 0n) throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`)
  if (start > end) throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`)
  if (BigInt(l.length) < end) throw new CelError(`cannot slice(${start}, ${end}), list is length ${l.length}`)
  return l.slice(Number(start), Number(end))
}

function flatten(l: List, depth: bigint): List {
  if (depth < 0n) throw new CelError('level must be non-negative')
  return l.flatMap((v) => (isList(v) ? (depth > 0n ? (depth > 1n ? flatten(v, depth - 1n) : v) : [v]) : [v]))
}

/**
 * Sorts by the key of each element, at the same position. Beside NaN elements keep their order, as all that are not less than their
 * neighbour.
 */
function sortBy(l: List, keys: List): List {
  const [first, ...rest] = keys
  if (first === undefined) return l
  if (!COMPARABLE.some((t) => fits(first, t))) throw new CelError('list elements must be comparable')
  if (rest.some((key) => typeName(key) !== typeName(first))) throw new CelError('list elements must have the same type')
  return l
    .map((v, i) => ({ v, k: keys[i] as Value }))
    .toSorted((a, b) => order(a.k, b.k) ?? 0)
    .map((x) => x.v)
}

function range(n: bigint): List {
  if (n > 1_000_000n) throw new CelError(`range(${n}) is too long`)
  return Array.from({ length: Number(n < 0n ? 0n : n) }, (_, i) => BigInt(i))
}

/** The name that `sortBy` gives its list. */
const UNSORTED = '@__sortBy_input__'

/** `sortBy` evaluates the key of each element, then sorts by the keys. */
function expandSortBy(m: MacroCall): Expr | undefined {
  if (m.target.kind === 'literal' || m.target.kind === 'map' || m.target.kind === 'message')
    m.fail(m.target.at, 'sortBy can only be applied to a list, identifier, comprehension, call or select expression')
  const list = ident(m.at, UNSORTED)
  const keys = MAP.expand({ ...m, target: list })
  return keys && binding(m.at, UNSORTED, m.target, { kind: 'call', at: m.at, name: '@sortByAssociatedKeys', target: list, args: [keys] })
}

/** A function of lists that looks at their elements itself. */
const anyList = (overload: Overload): Overload => ({ ...overload, paramsAtRunTime: overload.params.map(() => listOf(DYN)) })

/** The lists extension of cel-go (`ext.Lists`). */
export const LIST_EXTENSION: Library = {
  macros: [{ name: 'sortBy', member: true, args: 2, expand: expandSortBy }],
  functions: {
    slice: [member('list_slice', [listOf(A), INT, INT], listOf(A), slice)],
    flatten: [
      anyList(member('list_flatten', [listOf(listOf(A))], listOf(A), (l: List) => flatten(l, 1n))),
      member('list_flatten_int', [listOf(DYN), INT], listOf(DYN), flatten),
    ],
    distinct: [member('list_distinct', [listOf(A)], listOf(A), distinctValues)],
    reverse: [member('list_reverse', [listOf(A)], listOf(A), (l: List) => l.toReversed())],
    sort: forEach(COMPARABLE, (t) => anyList(member(`list_${t.kind}_sort`, [listOf(t)], listOf(t), (l: List) => sortBy(l, l)))),
    'lists.range': [overload('lists_range', [INT], listOf(INT), range)],
    '@sortByAssociatedKeys': forEach(COMPARABLE, (t) =>
      anyList(member(`list_${t.kind}_sort_by`, [listOf(A), listOf(t)], listOf(A), sortBy)),
    ),
  },
}

/** The sets extension of cel-go (`ext.Sets`). */
export const SETS: Library = {
  functions: {
    'sets.contains': [overload('list_sets_contains_list', [listOf(A), listOf(A)], BOOL, containsAll)],
    'sets.equivalent': [
      overload('list_sets_equivalent_list', [listOf(A), listOf(A)], BOOL, (a: List, b: List) => containsAll(b, a) && containsAll(a, b)),
    ],
    'sets.intersects': [overload('list_sets_intersects_list', [listOf(A), listOf(A)], BOOL, intersects)],
  },
}
