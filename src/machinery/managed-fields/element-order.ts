import type { FieldSet } from './field-set.ts'

/** An element with what it says, read once. */
interface Read {
  readonly element: string
  readonly rank: number
  /** The value of a key, value or index; the element itself of fields. */
  readonly says: unknown
}

/** Kubernetes' order of path elements: `.`, fields, keys, values, indices; keys and values by what they say. Sorts in place. */
export function sortElements(elements: string[]): string[] {
  if (elements.every(isField)) return elements.length > 1 ? elements.sort(byText) : elements
  return elements
    .map(read)
    .sort(compareRead)
    .map(({ element }) => element)
}

const isField = (element: string): boolean => element.charCodeAt(0) === FIELD

function read(element: string): Read {
  const says = 'kv'.includes(element.charAt(0))
    ? JSON.parse(element.slice(2))
    : element.startsWith('i')
      ? Number(element.slice(2))
      : element
  return { element, rank: rank(element), says }
}

const compareRead = (a: Read, b: Read): number => a.rank - b.rank || compareValues(a.says, b.says)

const rank = (element: string): number => '.fkvi'.indexOf(element.charAt(0))
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function compareValues(a: unknown, b: unknown): number {
  const kind = typeRank(a) - typeRank(b)
  if (kind !== 0) return kind
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return byText(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  return isMap(a) && isMap(b) ? compareMaps(Object.entries(a), Object.entries(b)) : 0
}

/** Member by member: names first, then values; the shorter one first. */
function compareMaps(a: [string, unknown][], b: [string, unknown][]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [left, right] = [a[i], b[i]]
    if (left === undefined || right === undefined) break
    const order = byText(left[0], right[0]) || compareValues(left[1], right[1])
    if (order !== 0) return order
  }
  return a.length - b.length
}

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null
const typeRank = (value: unknown): number => (value === null ? 9 : ['number', 'string', 'boolean', 'object'].indexOf(typeof value))

/** Sets that are known to be in order: those of whole objects and of their uppermost fields. Smaller ones are looked at sooner than remembered. */
const inOrder = new WeakSet<FieldSet>()
const REMEMBERED = 2

/** The set with its elements in order, as it is stored and shown. The same set when it is so already. */
export function ordered(set: FieldSet, depth = 0): FieldSet {
  if (depth < REMEMBERED && inOrder.has(set)) return set
  let previous: string | undefined
  let previousRead: Read | undefined
  let sorted = true
  let result: { [element: string]: FieldSet } | undefined
  for (const element in set) {
    if (previous !== undefined && sorted) {
      if (isField(previous) && isField(element)) sorted = previous < element
      else {
        const found = read(element)
        sorted = compareRead(previousRead ?? read(previous), found) < 0
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

/** The first letter of fields, which most elements are. */
const FIELD = 0x66
