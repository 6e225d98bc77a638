import { type Steps, sortedInSteps } from '../../../base/steps.ts'
import { compareRead, readElement } from './element-order.ts'
import type { FieldSet } from './field-set.ts'
import { isKnownInOrder } from './ordered-set.ts'

/** Elements that are processed in one step. */
const SLICE = 4096

/** Like `ordered`, in steps, for large sets. */
export function* orderedInSteps(set: FieldSet): Steps<FieldSet> {
  if (isKnownInOrder(set)) return set
  const elements = Object.keys(set)
  if (elements.length === 0) return set
  if (elements.length > SLICE) yield
  const fresh = new Map<string, FieldSet>()
  for (const [i, element] of elements.entries()) {
    if (i % SLICE === SLICE - 1) yield
    const below = set[element]
    const put = below && (yield* orderedInSteps(below))
    if (put !== undefined && put !== below) fresh.set(element, put)
  }
  const inOrder = yield* inOrderInSteps(elements)
  if (inOrder === elements && fresh.size === 0) return set
  const result: { [element: string]: FieldSet } = {}
  for (const [i, element] of inOrder.entries()) {
    if (i % SLICE === SLICE - 1) yield
    const below = fresh.get(element) ?? set[element]
    if (below !== undefined) result[element] = below
  }
  return result
}

/** The sorted elements; the same list if it is sorted already. */
export function* inOrderInSteps(elements: string[]): Steps<string[]> {
  const read = []
  let sorted = true
  for (const [i, element] of elements.entries()) {
    if (i % SLICE === SLICE - 1) yield
    const found = readElement(element)
    const last = read.at(-1)
    if (sorted && last !== undefined) sorted = compareRead(last, found) < 0
    read.push(found)
  }
  if (sorted) return elements
  return (yield* sortedInSteps(read, compareRead)).map(({ element }) => element)
}
