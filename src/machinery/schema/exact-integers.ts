import type { NumberTexts } from '../json/json-parser.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'

/** `copy`, equal to `value`, with all digits of the integers in it, also of those beyond an int64. `numbers`: the texts of `value`. */
export function exactIntegers(value: Json, copy: Json, numbers: NumberTexts): Json {
  const texts = value !== null && typeof value === 'object' ? numbers.get(value) : undefined
  const exact = (key: string | number, item: Json, own: Json): Json => {
    const text = texts?.get(key)
    if (text === undefined || typeof item !== 'number') return exactIntegers(item, own, numbers)
    return /^-?\d+$/.test(text) && !Number.isSafeInteger(item) ? BigInt(text) : own
  }
  if (Array.isArray(value) && Array.isArray(copy)) return value.map((item, i) => exact(i, item, copy[i] ?? null))
  if (!isObject(value) || !isObject(copy)) return copy
  const out: JsonObject = {}
  for (const [name, item] of Object.entries(value)) setOwn(out, name, exact(name, item ?? null, copy[name] ?? null))
  return out
}
