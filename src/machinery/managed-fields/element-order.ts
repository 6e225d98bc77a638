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

/** Sets that are known to be in order. */
const inOrder = new WeakSet<FieldSet>()

/** The set with its elements in order, as it is stored and shown. The same set when it is so already. */
export function ordered(set: FieldSet): FieldSet {
  if (inOrder.has(set)) return set
  const elements = Object.keys(set)
  if (elements.length === 0) return set
  let sorted = true
  for (let i = 1; i < elements.length && sorted; i++) sorted = compareElements(elements[i - 1] ?? '', elements[i] ?? '') < 0
  if (!sorted) elements.sort(compareElements)
  let result: { [element: string]: FieldSet } | undefined = sorted ? undefined : {}
  for (const element of elements) {
    const below = set[element]
    if (below === undefined) continue
    const fresh = ordered(below)
    if (result === undefined && fresh !== below) result = { ...set }
    if (result !== undefined) result[element] = fresh
  }
  const done = result ?? set
  inOrder.add(done)
  return done
}
