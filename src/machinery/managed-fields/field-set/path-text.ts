import { goQuote } from '../../field-error.ts'

/** A path in messages: `.spec.containers[name="main"].image`, `.metadata.finalizers[="x"]`. */
export const pathText = (path: readonly string[]): string => path.map(elementText).join('')

/** One element of a path in messages. */
export function elementText(element: string): string {
  const rest = element.slice(2)
  switch (element.charAt(0)) {
    case 'f':
      return `.${rest}`
    case 'k':
      return `[${Object.entries(JSON.parse(rest) as Record<string, unknown>)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(',')}]`
    case 'v':
      return `[=${valueText(JSON.parse(rest))}]`
    default:
      return `[${rest}]`
  }
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? goQuote(value) : typeof value === 'object' ? JSON.stringify(value) : String(value)
