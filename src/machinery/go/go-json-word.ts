import type { Json } from '../object.ts'

/** What Go's decoder calls a JSON value in its errors: `cannot unmarshal number into …`. */
export function goJsonWord(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}
