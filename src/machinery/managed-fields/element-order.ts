import type { FieldSet } from './field-set.ts'

/** Kubernetes' order of path elements: `.`, fields, keys, values, indices; keys and values by what they say. */
export function compareElements(a: string, b: string): number {
  const kind = rank(a) - rank(b)
  if (kind !== 0) return kind
  const first = a.charAt(0)
  if (first === 'k' || first === 'v') return compareValues(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)))
  if (first === 'i') return Number(a.slice(2)) - Number(b.slice(2))
  return byText(a, b)
}

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
  let sorted = true
  let result: { [element: string]: FieldSet } | undefined
  for (const element in set) {
    if (previous !== undefined && sorted) sorted = follows(previous, element)
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
  for (const element of Object.keys(set).sort(compareElements)) {
    const below = set[element]
    if (below !== undefined) result[element] = below
  }
  return result
}

/** Whether `b` stands behind `a`; most elements are fields. */
function follows(a: string, b: string): boolean {
  if (a.charCodeAt(0) === FIELD && b.charCodeAt(0) === FIELD) return a < b
  return compareElements(a, b) < 0
}

const FIELD = 0x66
