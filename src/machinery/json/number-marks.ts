import { isObject, type Json, setOwn } from '../object.ts'
import type { NumberTexts } from './json-parser.ts'
import { decodeJson } from './strict-json.ts'

/** A surrogate alone: no text of a body begins with it. */
const MARK = '\ud800'

/**
 * Kubernetes patches the text of an object, so its numbers stay as they are written (`1.0`). Here each number of a patch that JavaScript
 * writes differently becomes a marked text while the patch is applied.
 */
export function markNumbers(value: Json, numbers: NumberTexts): Json {
  for (const [container, texts] of numbers)
    for (const [key, text] of texts) {
      if (Array.isArray(container)) container[Number(key)] = MARK + text
      else setOwn(container as Record<string, Json>, String(key), MARK + text)
    }
  return value
}

/** The value with its numbers, and their texts. */
export function unmarkNumbers(value: Json): { readonly value: Json; readonly numbers: NumberTexts } {
  const numbers = new Map<object, Map<string | number, string>>()
  const copied = (container: object, key: string | number, item: Json): Json => {
    if (typeof item !== 'string' || !item.startsWith(MARK)) return unmarked(item)
    const text = item.slice(MARK.length)
    const texts = numbers.get(container)
    if (texts === undefined) numbers.set(container, new Map([[key, text]]))
    else texts.set(key, text)
    return decodeJson(text).value
  }
  const unmarked = (item: Json): Json => {
    if (Array.isArray(item)) {
      const list: Json[] = []
      for (const [i, member] of item.entries()) list.push(copied(list, i, member))
      return list
    }
    if (!isObject(item)) return item
    const object = {}
    for (const key of Object.keys(item)) setOwn(object, key, copied(object, key, item[key] ?? null))
    return object
  }
  return { value: unmarked(value), numbers }
}

/** Encoded JSON with marked numbers as they are written. */
export const showNumbers = (json: string): string => json.replaceAll(/"\\ud800([^"]*)"/g, '$1')
