/** An element with what it says, read once. */
export interface ReadElement {
  readonly element: string
  readonly rank: number
  /** The value of a key, value or index; the element itself of fields. */
  readonly says: unknown
}

/** Kubernetes' order of path elements: `.`, fields, keys, values, indices; keys and values by what they say. Sorts in place. */
export function sortElements(elements: string[]): string[] {
  if (elements.every(isField)) return elements.length > 1 ? elements.sort(byText) : elements
  return elements
    .map(readElement)
    .sort(compareRead)
    .map(({ element }) => element)
}

export const isField = (element: string): boolean => element.charCodeAt(0) === FIELD

/** What an element says, to be compared. */
export function readElement(element: string): ReadElement {
  const says = 'kv'.includes(element.charAt(0))
    ? JSON.parse(element.slice(2))
    : element.startsWith('i')
      ? Number(element.slice(2))
      : element
  return { element, rank: rank(element), says }
}

export const compareRead = (a: ReadElement, b: ReadElement): number => a.rank - b.rank || compareValues(a.says, b.says)

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

/** The first letter of fields, which most elements are. */
const FIELD = 0x66
