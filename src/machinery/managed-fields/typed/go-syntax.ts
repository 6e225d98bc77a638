import { goQuote } from '../../field-error.ts'
import type { Json } from '../../object.ts'
import { GoValue } from '../../schema/go-value.ts'

/** Go's `%#v` of decoded JSON: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (typeof value === 'string') return goQuote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value !== 'object') return String(value)
  if (value instanceof GoValue) return value.syntax
  const keys = Object.keys(value).sort()
  return `map[string]interface {}{${keys.map((key) => `${goQuote(key)}:${goSyntax(value[key])}`).join(', ')}}`
}
