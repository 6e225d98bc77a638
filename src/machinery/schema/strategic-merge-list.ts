import type { Pace, Steps } from '../../base/steps.ts'
import { isObject, type Json, type JsonObject } from '../object.ts'
import { goPrint, goTypeName } from './go-print.ts'
import { badArgument, DIRECTIVE, noMergeKey, StrategicMergeError, unknownDirective } from './strategic-merge-error.ts'

/** How the elements of a list are merged. */
export interface Elements {
  readonly mergeKey: string
  readonly goKind: string
  readonly merge: (before: JsonObject, item: JsonObject) => Steps<JsonObject>
  readonly pace: Pace
  /** The patch lists scalars to be removed. */
  readonly deletes: boolean
}

/** Merges a list of maps by their merge key, or a list of scalars as a set. */
export function* mergeSlice(original: Json[], patch: Json[], elements: Elements): Steps<Json[]> {
  const { mergeKey, goKind, deletes } = elements
  if (original.length === 0 && patch.length === 0) return original
  if (!sliceElementIsMap([original, patch])) {
    if (deletes) {
      const gone = new Set(patch)
      return original.filter((v) => !gone.has(v))
    }
    return finish(distinct([...original, ...patch]), { patch, original }, { mergeKey: '', maps: false })
  }
  if (mergeKey === '') throw new StrategicMergeError('failed', `cannot merge lists without merge key for ${goKind}`)
  const { kept, wanted } = followListDirectives(original, patch, mergeKey)
  const merged = yield* mergeByKey(kept, wanted, elements)
  if (elements.pace.due(merged.length)) yield
  return finish(merged, { patch: wanted, original: kept }, { mergeKey, maps: true })
}

function finish(merged: Json[], { patch, original }: { readonly patch: Json[]; readonly original: Json[] }, kind: ElementKind): Json[] {
  const [fromPatch, fromServer] = partition(merged, patch, kind.mergeKey)
  return orderElements({ named: fromPatch, others: fromServer }, { order: patch, before: original }, kind)
}

/** Follows `$patch` in list elements: `delete` removes one element, `replace` the whole present list. */
function followListDirectives(original: Json[], patch: Json[], mergeKey: string): { kept: Json[]; wanted: Json[] } {
  const deleted = new Set<Json | undefined>()
  let replace = false
  const wanted: Json[] = []
  for (const item of patch as JsonObject[]) {
    if (!Object.hasOwn(item, DIRECTIVE)) wanted.push(item)
    else if (item[DIRECTIVE] === 'delete') {
      if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
      deleted.add(item[mergeKey])
    } else if (item[DIRECTIVE] === 'replace') replace = true
    else if (item[DIRECTIVE] === 'merge') throw new StrategicMergeError('failed', 'merging lists cannot yet be specified in the patch')
    else throw unknownDirective(item)
  }
  if (replace) return { kept: wanted, wanted: [] }
  return { kept: deleted.size === 0 ? original : original.filter((v) => !deleted.has(keyValue(v, mergeKey))), wanted }
}

function* mergeByKey(original: Json[], patch: Json[], { mergeKey, merge, pace }: Elements): Steps<Json[]> {
  const merged = [...original]
  const places = new Positions(merged, mergeKey)
  for (const item of patch as JsonObject[]) {
    if (pace.due()) yield
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
    const at = places.find(item[mergeKey])
    const before = at < 0 ? undefined : merged[at]
    if (isObject(before)) {
      const after = yield* merge(before, item)
      merged[at] = after
      // The merge may have removed the key itself.
      if (keyValue(after, mergeKey) !== item[mergeKey]) places.move(item[mergeKey], after, at)
    } else places.add(item, merged.push(item) - 1)
  }
  return merged
}

/** The positions of the elements of a list, by key. */
class Positions {
  readonly #mergeKey: string
  readonly #positions = new Map<Json | undefined, number[]>()
  /** The first element without a key because it is not a map: later elements are not searched. */
  #noMap = Number.POSITIVE_INFINITY

  constructor(list: readonly Json[], mergeKey: string) {
    this.#mergeKey = mergeKey
    for (const [i, item] of list.entries()) this.add(item, i)
  }

  add(item: Json, at: number): void {
    if (!isObject(item)) {
      this.#noMap = Math.min(this.#noMap, at)
      return
    }
    if (!Object.hasOwn(item, this.#mergeKey)) return
    const key = item[this.#mergeKey]
    const found = this.#positions.get(key)
    if (found === undefined) this.#positions.set(key, [at])
    else found.push(at)
  }

  /** The first element with this key, or -1. */
  find(key: Json | undefined): number {
    const at = this.#positions.get(key)?.[0] ?? -1
    if (this.#noMap < (at < 0 ? Number.POSITIVE_INFINITY : at))
      throw new StrategicMergeError('failed', `value for key ${this.#noMap} is not a map`)
    return at
  }

  /** Moves an element whose key has changed. */
  move(from: Json | undefined, item: Json, at: number): void {
    const left = this.#positions.get(from)?.filter((place) => place !== at) ?? []
    if (left.length === 0) this.#positions.delete(from)
    else this.#positions.set(from, left)
    this.add(item, at)
    const key = keyValue(item, this.#mergeKey)
    if (key !== undefined) this.#positions.get(key)?.sort((a, b) => a - b)
  }
}

const keyValue = (item: Json, mergeKey: string): Json | undefined =>
  isObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined

/** Splits a list into elements that the patch's list names, and others. */
export function partition(all: readonly Json[], named: readonly Json[], mergeKey: string): [named: Json[], others: Json[]] {
  const scalars = new Set(mergeKey === '' ? named : [])
  const places = new Positions(mergeKey === '' ? [] : named, mergeKey)
  const isNamed = (item: Json): boolean => {
    if (mergeKey === '') return scalars.has(item)
    mustHaveKey(mustBeMap(item), mergeKey)
    return places.find(keyValue(item, mergeKey)) >= 0
  }
  const flags = all.map(isNamed)
  return [all.filter((_, i) => flags[i]), all.filter((_, i) => !flags[i])]
}

/** What the elements of a list are. */
interface ElementKind {
  /** `''`: they have none. */
  readonly mergeKey: string
  readonly maps: boolean
}

/** Merges the named elements, in the order of the patch, and the others, in their old order, by the positions that they had. */
export function orderElements(
  { named, others }: { readonly named: readonly Json[]; readonly others: readonly Json[] },
  { order, before }: { readonly order: readonly Json[]; readonly before: readonly Json[] },
  { mergeKey, maps }: ElementKind,
): Json[] {
  const identity = (item: Json) => (mergeKey === '' ? item : keyValue(item, mergeKey))
  const ranks = (list: readonly Json[]) => {
    const ranked = new Map<Json | undefined, number>()
    list.forEach((item, i) => {
      if (!ranked.has(identity(item))) ranked.set(identity(item), i)
    })
    return (item: Json) => ranked.get(identity(item)) ?? -1
  }
  if (maps) for (const item of [...named, ...order, ...others, ...before]) mustHaveKey(mustBeMap(item), mergeKey)
  const wished = ranks(order)
  const had = ranks(before)
  const right = sortBy(named, wished)
  const left = sortBy(others, had)
  const out: Json[] = []
  let i = 0
  let j = 0
  for (;;) {
    const l = left[i]
    const r = right[j]
    if (l === undefined) return [...out, ...right.slice(j)]
    if (r === undefined) return [...out, ...left.slice(i)]
    const fromLeft = had(l) >= 0 && had(r) >= 0 && had(l) < had(r)
    out.push(fromLeft ? l : r)
    if (fromLeft) i++
    else j++
  }
}

/** Sorts by rank; elements that are only delete directives come last. */
function sortBy(list: readonly Json[], rank: (item: Json) => number): Json[] {
  const deletions = list.filter(isDeletion)
  return [...list.filter((v) => !isDeletion(v)).sort((a, b) => rank(a) - rank(b)), ...deletions]
}

const isDeletion = (item: Json) => isObject(item) && item[DIRECTIVE] === 'delete'

/**
 * Verifies that the list of the patch follows the order that the patch sets. Elements with directives are in no order; but those after the
 * last place of the order count as out of it, as in Kubernetes.
 */
export function validateElementOrder(patchList: readonly Json[], order: readonly Json[], mergeKey: string) {
  if (order.length === 0 || patchList.length === 0) return
  const ordered = mergeKey === '' ? patchList : patchList.filter((item) => mustBeMap(item)[DIRECTIVE] !== 'delete')
  let at = 0
  for (const place of order) {
    while (at < ordered.length && hasDirective(ordered[at])) at++
    const item = ordered[at]
    if (item === undefined) return
    if (sameElement(item, place, mergeKey)) at++
  }
  if (at >= ordered.length) return
  throw new StrategicMergeError(
    'failed',
    `The order in patch list:\n${goPrint([...patchList])}\n doesn't match $setElementOrder list:\n${goPrint([...order])}\n`,
  )
}

const hasDirective = (item: Json | undefined) => isObject(item) && Object.hasOwn(item, DIRECTIVE)

function sameElement(left: Json, right: Json, mergeKey: string): boolean {
  if (mergeKey === '') return left === right
  const maps = [mustBeMap(left), mustBeMap(right)]
  for (const map of maps) mustHaveKey(map, mergeKey)
  return keyValue(left, mergeKey) === keyValue(right, mergeKey)
}

function mustBeMap(item: Json): JsonObject {
  if (!isObject(item)) throw badArgument(item, 'map[string]interface {}')
  return item
}

function mustHaveKey(map: JsonObject, mergeKey: string): void {
  if (!Object.hasOwn(map, mergeKey)) throw noMergeKey(map, mergeKey)
}

const distinct = (list: Json[]) => [...new Set(list)]

/** True if the elements of these lists are maps. All must be of one kind, and not lists. */
export function sliceElementIsMap(lists: readonly (readonly Json[])[]): boolean {
  const all = lists.flat()
  const first = all[0]
  if (first === undefined) throw new StrategicMergeError('failed', 'no elements in any of the given slices')
  if (Array.isArray(first)) throw new StrategicMergeError('unprocessable', 'lists of lists are not supported')
  const kind = kindOf(first)
  if (all.some((item) => kindOf(item) !== kind)) {
    throw new StrategicMergeError('failed', `list element types are not identical: ${goPrint(lists.map((l) => [...l]))}`)
  }
  return kind === 'map'
}

const kindOf = (item: Json) => (isObject(item) ? 'map' : Array.isArray(item) ? 'slice' : goTypeName(item))
