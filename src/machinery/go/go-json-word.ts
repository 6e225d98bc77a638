import type { Json } from '../object.ts'

/** The name of a JSON value in errors of Go's decoder: `cannot unmarshal number into …`. */
export function goJsonWord(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}
