import { goQuote } from '../../field-error.ts'
import { decodeJson } from '../../json/strict-json.ts'
import type { JsonObject } from '../../object.ts'

/** A path in messages: `.spec.containers[name="main"].image`, `.metadata.finalizers[="x"]`. */
export const pathText = (path: readonly string[]): string => path.map(elementText).join('')

/** One element of a path in messages. */
export function elementText(element: string): string {
  const rest = element.slice(2)
  switch (element.charAt(0)) {
    case 'f':
      return `.${rest}`
    case 'k':
      return `[${Object.entries(decodeJson(rest).value as JsonObject)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(',')}]`
    case 'v':
      return `[=${valueText(decodeJson(rest).value)}]`
    default:
      return `[${rest}]`
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return goQuote(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${name}=${valueText(member)}`)
    .join('')
}
