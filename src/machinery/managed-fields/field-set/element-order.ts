import { byText } from '../../../base/by-text.ts'
import { memo } from '../../../base/collections/memo.ts'
import { isObject, type JsonObject } from '../../object.ts'

/** A parsed path element. */
export interface ReadElement {
  readonly element: string
  readonly rank: number
  /** The value of a key, value or index; the element itself for fields. */
  readonly says: unknown
}

/** Kubernetes' order of path elements: `.`, fields, keys, values, indices; keys and values are compared by content. Sorts in place. */
export function sortElements(elements: string[]): string[] {
  if (elements.every(isField)) return sortTexts(elements)
  return elements
    .map(readElement)
    .sort(compareRead)
    .map(({ element }) => element)
}

/** Longer lists are sorted faster by Node, which copies them first. */
const FEW = 24

/** Sorts strings in place, by UTF-16 units. Optimized for few: the fields of one object. */
export function sortTexts(texts: string[]): string[] {
  if (texts.length > FEW) return texts.sort(byText)
  for (let i = 1; i < texts.length; i++) {
    const text = texts[i] ?? ''
    let at = i
    for (; at > 0; at--) {
      const before = texts[at - 1] ?? ''
      if (before <= text) break
      texts[at] = before
    }
    texts[at] = text
  }
  return texts
}

export const isField = (element: string): boolean => element.charCodeAt(0) === FIELD

const SHORT = 100

/** Parses an element for comparison. A field needs no parsing. */
export function readElement(element: string): ReadElement {
  if (isField(element)) return { element, rank: FIELD_RANK, says: element }
  return readOther(element)
}

/** Keeps short keys of lists: `k:{"type":"Ready"}` occurs in every pod. */
const readOther = memo(readAnew, { most: 256, keeps: (element, { rank }) => rank === KEY_RANK && element.length <= SHORT })

function readAnew(element: string): ReadElement {
  const says = 'kv'.includes(element.charAt(0))
    ? JSON.parse(element.slice(2))
    : element.startsWith('i')
      ? Number(element.slice(2))
      : element
  return { element, rank: rank(element), says }
}

export const compareRead = (a: ReadElement, b: ReadElement): number => a.rank - b.rank || compareValues(a.says, b.says)

const FIELD_RANK = 1
const KEY_RANK = 2
const rank = (element: string): number => '.fkvi'.indexOf(element.charAt(0))
function compareValues(a: unknown, b: unknown): number {
  const kind = typeRank(a) - typeRank(b)
  if (kind !== 0) return kind
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return byText(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  return isObject(a) && isObject(b) ? compareMaps(a, b) : 0
}

/** Compares member by member: names first, then values; then the number of members. */
function compareMaps(a: JsonObject, b: JsonObject): number {
  const [left, right] = [Object.keys(a), Object.keys(b)]
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [name = '', other = ''] = [left[i], right[i]]
    const order = byText(name, other) || compareValues(a[name], b[other])
    if (order !== 0) return order
  }
  return left.length - right.length
}

const typeRank = (value: unknown): number => (value === null ? 9 : ['number', 'string', 'boolean', 'object'].indexOf(typeof value))

/** The first character of field elements, which are the most frequent. */
const FIELD = 0x66
