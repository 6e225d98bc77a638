import type { Json } from '../object.ts'
import { GoValue } from './go-value.ts'

/** Go's `%v` of decoded JSON: `map[a:1 b:[x y]]`, keys sorted. */
export function goPrint(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'string') return value
  if (typeof value === 'number') return goNumber(value)
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  if (value instanceof GoValue) return value.print
  const keys = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return `map[${keys.map((k) => `${k}:${goPrint(value[k])}`).join(' ')}]`
}

/** Go writes a float with an exponent below 1e-4 and from 1e6 on. */
function goNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  const text = value.toExponential()
  const exponent = Number(text.slice(text.indexOf('e') + 1))
  return exponent < -4 || exponent >= 6 ? text.replace(/e([+-])(\d)$/, 'e$10$2') : String(value)
}

/** Go's name for the type of decoded JSON. */
export function goTypeName(value: Json | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)'
  if (Array.isArray(value)) return '[]interface {}'
  if (value instanceof GoValue) return value.type
  if (typeof value === 'object') return 'map[string]interface {}'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64'
}

/** Go's reflect kind of decoded JSON. */
export function goKindName(value: Json): string {
  if (Array.isArray(value)) return 'slice'
  return value !== null && typeof value === 'object' ? 'map' : goTypeName(value)
}
