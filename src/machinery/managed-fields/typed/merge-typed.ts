import { Pace, type Steps } from '../../../base/steps.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../../object.ts'
import { isHeavy } from '../../weight.ts'
import { listElements } from './list-element.ts'
import { concrete, deduced, type TypedNode } from './typed-node.ts'

/** Merges an applied configuration into an object. Fields that the configuration does not contain stay. */
export function mergeTyped(node: TypedNode, live: Json, config: Json): Json {
  return merge(node, live, config) ?? null
}

/** The same in steps. */
export function* mergeTypedInSteps(node: TypedNode, live: Json, config: Json): Steps<Json> {
  return (isHeavy(config) ? yield* mergeInSteps(node, live, config, new Pace()) : merge(node, live, config)) ?? null
}

/** Maps of many members are merged in steps. */
function* mergeInSteps(type: TypedNode, left: Json | undefined, right: Json | undefined, pace: Pace): Steps<Json | undefined> {
  const node = concrete(type, right)
  if (left === right || node.atomic || !isObject(right) || isNothing(right)) return merge(node, left, right)
  const before = isObject(left) ? left : undefined
  const result: JsonObject = { ...before }
  yield
  for (const [name, value] of Object.entries(right)) {
    if (pace.due(WORK_PER_MEMBER)) yield
    const [child, old] = [node.child(name) ?? deduced, memberOf(before, name)]
    const merged = isHeavy(value) ? yield* mergeInSteps(child, old, value, pace) : merge(child, old, value)
    if (merged !== undefined) setOwn(result, name, merged)
  }
  return result
}

/** Microseconds. */
const WORK_PER_MEMBER = 1

function merge(type: TypedNode, left: Json | undefined, right: Json | undefined): Json | undefined {
  if (left === right) return left
  const node = concrete(type, right === undefined ? left : right)
  if (node.atomic) return right === undefined ? left : right
  if (node.kind === 'list') return mergeLists(node, left, right)
  const before = isObject(left) ? left : undefined
  const after = isObject(right) ? right : undefined
  if (isNothing(before) && isNothing(after)) return right === undefined ? left : right
  if (after === undefined) return before
  const result: JsonObject = { ...before }
  for (const [name, value] of Object.entries(after)) {
    const merged = merge(node.child(name) ?? deduced, memberOf(before, name), value)
    if (merged !== undefined) setOwn(result, name, merged)
  }
  return result
}

const memberOf = (object: JsonObject | undefined, name: string): Json | undefined =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined

/** Items of the configuration keep its order; items that only the object has keep their positions between them. */
function mergeLists(node: TypedNode, left: Json | undefined, right: Json | undefined): Json | undefined {
  const before = Array.isArray(left) ? left : []
  const after = Array.isArray(right) ? right : []
  if (before.length === 0 && after.length === 0) return right === undefined ? left : right
  if (after.length === 0) return before
  const oldElements = listElements(node, before)
  const newElements = listElements(node, after)
  const old = indexOnce(oldElements)
  const fresh = new Map(newElements.map((element, i) => [element, i]))
  const known = new Set(oldElements)
  const shared = newElements.filter((element) => known.has(element))
  const done = new Set<string | undefined>()
  const result: Json[] = []
  let next = 0
  const take = (j: number) => {
    const element = newElements[j]
    const at = old.get(element)
    const merged = merge(node.items ?? deduced, at === undefined ? undefined : before[at], after[j])
    if (merged !== undefined) result.push(merged)
    done.add(element)
    if (shared[next] === element) next++
  }
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length) {
      if (oldElements[i] === newElements[j]) {
        take(j++)
        i++
        continue
      }
      // An item of both lists that is not next in the order of the configuration.
      if (fresh.has(oldElements[i]) && next < shared.length && shared[next] !== oldElements[i]) {
        i++
        continue
      }
    }
    if (i < before.length && !fresh.has(oldElements[i])) {
      result.push(before[i++] ?? null)
      continue
    }
    if (i < before.length && done.has(oldElements[i])) i++
    if (j < after.length) take(j++)
    else if (i < before.length && fresh.has(oldElements[i])) i++
  }
  return result
}

/** The index of each element, except for duplicates. */
function indexOnce(elements: readonly (string | undefined)[]): Map<string | undefined, number | undefined> {
  const index = new Map<string | undefined, number | undefined>()
  for (const [i, element] of elements.entries()) index.set(element, index.has(element) ? undefined : i)
  return index
}

function isNothing(value: JsonObject | undefined): boolean {
  for (const _ in value) return false
  return true
}
