/** Query parameters. */
export interface Query {
  /** The first value; undefined if the name is absent. */
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

export const NO_QUERY: Query = { get: () => undefined, all: () => [] }

/** Parses a query string by Go's rules: pairs with a semicolon or an invalid escape are skipped. */
export function parseQuery(text: string): Query {
  if (text === '') return NO_QUERY
  const values = new Map<string, string[]>()
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const at = pair.indexOf('=')
    const name = unescaped(at < 0 ? pair : pair.slice(0, at))
    const value = at < 0 ? '' : unescaped(pair.slice(at + 1))
    if (name === undefined || value === undefined) continue
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return { get: (name) => values.get(name)?.[0], all: (name) => values.get(name) ?? [] }
}

/** A query of parameters that need no parsing. */
export function queryOf(record: Readonly<Record<string, string>>): Query {
  return {
    get: (name) => (Object.hasOwn(record, name) ? record[name] : undefined),
    all: (name) => (Object.hasOwn(record, name) ? [record[name] ?? ''] : []),
  }
}

/** A query of pairs in order, in which a name may occur more than once. */
export const queryOfPairs = (pairs: readonly (readonly [string, string])[]): Query => ({
  get: (name) => pairs.find(([n]) => n === name)?.[1],
  all: (name) => pairs.flatMap(([n, value]) => (n === name ? [value] : [])),
})

function unescaped(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
