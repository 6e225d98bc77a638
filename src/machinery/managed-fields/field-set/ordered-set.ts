import { compareRead, isField, type ReadElement, readElement, sortElements } from './element-order.ts'
import type { FieldSet } from './field-set.ts'

/** Sets that are known to be in order: those of whole objects and of their uppermost fields. Smaller ones are looked at sooner than remembered. */
const inOrder = new WeakSet<FieldSet>()
const REMEMBERED = 2

/** The set with its elements in order, as it is stored and shown. The same set when it is so already. */
export function ordered(set: FieldSet, depth = 0): FieldSet {
  if (depth < REMEMBERED && inOrder.has(set)) return set
  let previous: string | undefined
  let previousRead: ReadElement | undefined
  let sorted = true
  let result: { [element: string]: FieldSet } | undefined
  for (const element in set) {
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
  if (depth < REMEMBERED) inOrder.add(done)
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
