/** What stands in the head of an answer. */
export type Headers = Readonly<Record<string, string | readonly string[]>>

/** Every header as a list of what was sent. */
export function lists(raw: readonly string[]): Record<string, string[]> {
  const out: Record<string, string[]> = Object.create(null)
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    const values = out[name] ?? []
    values.push(raw[i + 1] ?? '')
    out[name] = values
  }
  return out
}
