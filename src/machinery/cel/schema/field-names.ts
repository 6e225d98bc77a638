/** Reserved words of CEL; a field of such a name is written `__namespace__`. */
const RESERVED = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])

const WRITABLE = /^[A-Za-z_./-][A-Za-z0-9_./-]*$/
const SPECIAL = /__|\.|-|\//g
const MARKS: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' }
const UNMARKED: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/** The name of a field in expressions: `a-b` → `a__dash__b`. Undefined if it has none. */
export function escapeFieldName(name: string): string | undefined {
  if (!WRITABLE.test(name)) return undefined
  if (RESERVED.has(name)) return `__${name}__`
  return name.replace(SPECIAL, (c) => MARKS[c] ?? c)
}

/** The reverse of `escapeFieldName`; a name without escapes is returned unchanged. */
export function unescapeFieldName(name: string): string {
  if (!name.includes('__')) return name
  const word = /^__(.+)__$/.exec(name)?.[1]
  if (word !== undefined && RESERVED.has(word)) return word
  return name.replace(/__(underscores|dot|dash|slash)__/g, (_, mark: string) => UNMARKED[mark] ?? mark)
}
