import { compareRead, isField, type ReadElement, readElement, sortElements } from './element-order.ts'
import type { FieldSet } from './field-set.ts'

/** Sets that are known to be in order: those of whole objects and of their uppermost fields. Smaller ones are looked at sooner than remembered. */
const inOrder = new WeakSet<FieldSet>()
const REMEMBERED = 2
/** Sets with so many elements are remembered wherever they stand. */
const MANY = 100

/** Whether the elements of a set, and of all below it, are known to be in order. */
export const isKnownInOrder = (set: FieldSet): boolean => inOrder.has(set)

/** Remembers of a set that was made in order that it is so. */
export function noteInOrder(set: FieldSet): void {
  inOrder.add(set)
}

/** The set with its elements in order, as it is stored and shown. The same set when it is so already. */
export function ordered(set: FieldSet, depth = 0): FieldSet {
  if (depth < REMEMBERED && inOrder.has(set)) return set
  let previous: string | undefined
  let previousRead: ReadElement | undefined
  let sorted = true
  let result: { [element: string]: FieldSet } | undefined
  let count = 0
  for (const element in set) {
    if (++count === MANY && inOrder.has(set)) return set
    if (previous !== undefined && sorted) {
      if (isField(previous) && isField(element)) sorted = previous < element
      else {
        const found = readElement(element)
        sorted = compareRead(previousRead ?? readElement(previous), found) < 0
        previousRead = found
      }
    }
    if (isField(element)) previousRead = undefined
    previous = element
    const below = set[element]
    if (below === undefined) continue
    const fresh = ordered(below, depth + 1)
    if (fresh === below) continue
    result ??= { ...set }
    result[element] = fresh
  }
  if (previous === undefined) return set
  const done = sorted ? (result ?? set) : sortedSet(result ?? set)
  if (depth < REMEMBERED || count >= MANY) inOrder.add(done)
  return done
}

function sortedSet(set: FieldSet): FieldSet {
  const result: { [element: string]: FieldSet } = {}
  for (const element of sortElements(Object.keys(set))) {
    const below = set[element]
    if (below !== undefined) result[element] = below
  }
  return result
}
