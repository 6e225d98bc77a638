import { headerText } from './header-value.ts'

/** Every header with all of its values, decoded as UTF-8. */
export function lists(raw: readonly string[]): Record<string, string[]> {
  const out: Record<string, string[]> = Object.create(null)
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    const values = out[name] ?? []
    values.push(headerText(raw[i + 1] ?? ''))
    out[name] = values
  }
  return out
}
