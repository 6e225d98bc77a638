import { compareRead, isField, type ReadElement, readElement, sortElements } from './element-order.ts'
import type { FieldSet } from './field-set.ts'

/**
 * Sets that are known to be ordered: those of whole objects and of their top-level fields. Checking smaller ones is faster than a look-up.
 */
const inOrder = new WeakSet<FieldSet>()
const REMEMBERED = 2
/** Larger sets are remembered at any depth. */
const MANY = 100

/** True if a set and everything below it is known to be ordered. */
export const isKnownInOrder = (set: FieldSet): boolean => inOrder.has(set)

/** Remembers that a set is ordered. */
export function noteInOrder(set: FieldSet): void {
  inOrder.add(set)
}

/** The set with its elements in order, as it is stored and shown. The same set if it is ordered already. */
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
