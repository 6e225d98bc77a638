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

const BLANK = /(?:[ \t\r]+|\\\r?\n|#[^\n]*)/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y
const NAME = /[A-Za-z_]\w*/y

/** What a text in quotes means. */
export const unescapeAwk = (text: string): string =>
  text.replace(/\\([0-7]{1,3}|.)/gs, (_, c: string) =>
    /^[0-7]/.test(c) ? String.fromCharCode(Number.parseInt(c, 8)) : (ESCAPES[c] ?? `\\${c}`),
  )

/** @throws {Error} naming what is no piece of a program */
export function readTokens(source: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  const piece = (expression: RegExp, from: number): string | undefined => {
    expression.lastIndex = from
    return expression.exec(source)?.[0]
  }
  while (at < source.length) {
    const blank = piece(BLANK, at)
    if (blank !== undefined) {
      at += blank.length
      continue
    }
    if (source[at] === '\n') {
      tokens.push({ kind: 'newline' })
      at++
      continue
    }
    const number = piece(NUMBER, at)
    if (number !== undefined) {
      tokens.push({ kind: 'number', value: Number(number) })
      at += number.length
      continue
    }
    const name = piece(NAME, at)
    if (name !== undefined) {
      at += name.length
      tokens.push({ kind: WORDS.has(name) ? 'word' : source[at] === '(' ? 'call' : 'name', text: name })
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
    if (sign === undefined) throw new Error(`syntax error at ${JSON.stringify(source.slice(at, at + 10))}`)
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
