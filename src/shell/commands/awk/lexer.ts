/** A piece of an awk program. */
export type Token =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string' | 'regex' | 'name' | 'call' | 'word'; readonly text: string }
  | { readonly kind: 'sign'; readonly text: string }
  | { readonly kind: 'newline' | 'end' }

const WORDS = new Set('BEGIN END if else while for do break continue next exit delete in print printf function return getline'.split(' '))
/** The longest first. */
const SIGNS = [
  '**=',
  '&&',
  '||',
  '==',
  '<=',
  '>=',
  '!=',
  '++',
  '--',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '^=',
  '!~',
  '>>',
  '**',
  ...'{}()[];,+-*/%^!<>~?:=$|'.split(''),
]
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  '/': '/',
  '\\': '\\',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

/** What a text in quotes means. */
export const unescapeAwk = (text: string): string =>
  text.replace(/\\([0-7]{1,3}|.)/gs, (_, c: string) =>
    /^[0-7]/.test(c) ? String.fromCharCode(Number.parseInt(c, 8)) : (ESCAPES[c] ?? `\\${c}`),
  )

/** @throws {Error} naming what is no piece of a program */
export function readTokens(source: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    const rest = source.slice(at, at + 4096)
    const blank = rest.match(/^(?:[ \t\r]+|\\\r?\n|#[^\n]*)/)
    if (blank !== null) {
      at += blank[0].length
      continue
    }
    if (source[at] === '\n') {
      tokens.push({ kind: 'newline' })
      at++
      continue
    }
    const number = rest.match(/^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/)
    const name = rest.match(/^[A-Za-z_]\w*/)
    if (number !== null) tokens.push({ kind: 'number', value: Number(number[0]) })
    else if (name !== null)
      tokens.push({ kind: WORDS.has(name[0]) ? 'word' : source[at + name[0].length] === '(' ? 'call' : 'name', text: name[0] })
    if (number !== null || name !== null) {
      at += (number ?? name)?.[0].length ?? 0
      continue
    }
    const quote = source[at] === '"' ? '"' : source[at] === '/' && regexMayStand(tokens.at(-1)) ? '/' : undefined
    if (quote !== undefined) {
      const end = closing(source, at + 1, quote)
      const text = source.slice(at + 1, end)
      tokens.push(quote === '"' ? { kind: 'string', text: unescapeAwk(text) } : { kind: 'regex', text: text.replaceAll('\\/', '/') })
      at = end + 1
      continue
    }
    const sign = SIGNS.find((s) => source.startsWith(s, at))
    if (sign === undefined) throw new Error(`syntax error at ${JSON.stringify(rest.slice(0, 10))}`)
    tokens.push({ kind: 'sign', text: sign })
    at += sign.length
  }
  tokens.push({ kind: 'newline' }, { kind: 'end' })
  return tokens
}

/** After a value a slash divides. */
function regexMayStand(last: Token | undefined): boolean {
  if (last === undefined) return true
  if (last.kind === 'sign') return ![')', ']', '$', '++', '--'].includes(last.text)
  return last.kind === 'newline' || last.kind === 'word'
}

function closing(source: string, from: number, quote: string): number {
  let inClass = false
  for (let i = from; i < source.length; i++) {
    const c = source[i]
    if (c === '\\') i++
    else if (c === '\n') break
    else if (quote === '/' && c === '[') inClass = true
    else if (quote === '/' && c === ']') inClass = false
    else if (c === quote && !inClass) return i
  }
  throw new Error(`syntax error: ${quote} is not closed`)
}
