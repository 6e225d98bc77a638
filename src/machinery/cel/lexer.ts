import { messageOf } from '../../base/message-of.ts'
import type { Literal, Offset } from './ast.ts'
import type { Issue } from './issues.ts'

export type Token =
  | { readonly kind: 'ident' | 'quoted' | 'op' | 'word'; readonly at: Offset; readonly text: string }
  | { readonly kind: 'literal'; readonly at: Offset; readonly text: string; readonly value: Literal }
  | { readonly kind: 'end'; readonly at: Offset; readonly text: '<EOF>' }

/** Longest first. */
const OPERATORS = [
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '.',
  ',',
  '?',
  ':',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  '+',
  '-',
  '*',
  '/',
  '%',
  '!',
  '<',
  '>',
]
/** Tokenizing stops after this many issues. */
const MAX_ISSUES = 100
const WORDS = new Set(['true', 'false', 'null', 'in'])

/** Splits a program into tokens (cel-spec, lexical structure). Unknown characters are issues, and are skipped. */
export function tokenize(source: string): { readonly tokens: readonly Token[]; readonly issues: readonly Issue[] } {
  const chars = [...source]
  const tokens: Token[] = []
  const issues: Issue[] = []
  let at = 0
  while (at < chars.length && issues.length < MAX_ISSUES) {
    const c = chars[at] ?? ''
    if (/\s/.test(c)) at++
    else if (c === '/' && chars[at + 1] === '/') while (at < chars.length && chars[at] !== '\n') at++
    else {
      const broken = brokenString(chars, at)
      if (broken !== undefined) {
        issues.push({ at, message: `Syntax error: token recognition error at: '${chars.slice(at, broken).join('')}'` })
        at = broken
        continue
      }
      const token = readString(chars, at, issues) ?? readNumber(chars, at, issues) ?? readName(chars, at) ?? readOperator(chars, at)
      if (token === undefined) {
        const next = at + unknownLength(chars, at)
        issues.push({ at, message: `Syntax error: token recognition error at: '${chars.slice(at, next).join('')}'` })
        at = next
      } else {
        tokens.push(token.token)
        at = token.next
      }
    }
  }
  tokens.push({ kind: 'end', at: chars.length, text: '<EOF>' })
  return { tokens, issues }
}

/** An operator or a quoted name that goes on otherwise is given up with the character at which it cannot continue. */
function unknownLength(chars: readonly string[], at: number): number {
  const c = chars[at] ?? ''
  if (c === '=' || c === '&' || c === '|') return Math.min(2, chars.length - at)
  if (c !== '`') return 1
  let end = at + 1
  while (end < chars.length && QUOTED.test(chars[end] ?? '')) end++
  return Math.min(end + 1, chars.length) - at
}

const QUOTED = /[\w.\-/ ]/

interface Read {
  readonly token: Token
  readonly next: number
}

function readOperator(chars: readonly string[], at: number): Read | undefined {
  const two = (chars[at] ?? '') + (chars[at + 1] ?? '')
  const text = OPERATORS.includes(two) ? two : OPERATORS.includes(chars[at] ?? '') ? (chars[at] ?? '') : undefined
  return text === undefined ? undefined : { token: { kind: 'op', at, text }, next: at + text.length }
}

function readName(chars: readonly string[], at: number): Read | undefined {
  if (chars[at] === '`') {
    let end = at + 1
    while (end < chars.length && QUOTED.test(chars[end] ?? '')) end++
    if (chars[end] !== '`' || end === at + 1) return undefined
    return { token: { kind: 'quoted', at, text: chars.slice(at, end + 1).join('') }, next: end + 1 }
  }
  if (!/[A-Za-z_]/.test(chars[at] ?? '')) return undefined
  let end = at + 1
  while (end < chars.length && /[A-Za-z0-9_]/.test(chars[end] ?? '')) end++
  const text = chars.slice(at, end).join('')
  return { token: { kind: WORDS.has(text) ? 'word' : 'ident', at, text }, next: end }
}

/** Digits beyond this belong to the next token: no number has so many. */
const LONGEST_NUMBER = 400

/** Whether the character may continue a number: a sign does after an exponent's letter alone. */
function isOfNumber(chars: readonly string[], at: number): boolean {
  const c = chars[at] ?? ''
  return /[\da-zA-Z.]/.test(c) || (/[+-]/.test(c) && /[eE]/.test(chars[at - 1] ?? ''))
}

function readNumber(chars: readonly string[], at: number, issues: Issue[]): Read | undefined {
  if (!/[\d.]/.test(chars[at] ?? '')) return undefined
  let end = at + 1
  while (end < at + LONGEST_NUMBER && isOfNumber(chars, end)) end++
  const rest = chars.slice(at, end).join('')
  const hex = /^0x[0-9a-fA-F]+(u|U)?/.exec(rest)
  const float = /^(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/.exec(rest)
  const int = /^\d+(u|U)?/.exec(rest)
  const done = (text: string, value: Literal): Read => ({ token: { kind: 'literal', at, text, value }, next: at + text.length })
  if (float && !hex) return done(float[0], { type: 'double', value: Number(float[0]) })
  const whole = hex ?? int
  if (whole === null) return undefined
  const digits = BigInt(whole[0].replace(/[uU]$/, ''))
  if (whole[1] !== undefined) {
    if (digits > 18446744073709551615n) issues.push({ at, message: 'invalid uint literal' })
    return done(whole[0], { type: 'uint', value: digits })
  }
  return done(whole[0], { type: 'int', value: digits })
}

/**
 * Where an invalid string literal is given up: after the character at which it cannot continue. Undefined for everything else. (The prefix
 * of a prefixed literal is a name, and the first two of three quotes are an empty string.)
 */
function brokenString(chars: readonly string[], at: number): number | undefined {
  const quote = chars[at]
  if ((quote !== '"' && quote !== "'") || chars[at + 1] === quote) return undefined
  for (let i = at + 1; ; i++) {
    const c = chars[i]
    if (c === undefined) return i
    if (c === quote) return undefined
    if (c === '\n' || c === '\r') return i + 1
    if (c !== '\\') continue
    const letter = chars[++i]
    if (letter === undefined) return i
    const digits = ESCAPE_DIGITS[letter] ?? (/[0-3]/.test(letter) ? OCTAL : undefined)
    if (digits === undefined && SIMPLE[letter] === undefined) return i + 1
    for (let n = digits?.count ?? 0; n > 0; n--) {
      const digit = chars[++i]
      if (digit === undefined) return i
      if (digits?.pattern.test(digit) === false) return i + 1
    }
  }
}

const HEX = /[0-9a-fA-F]/
const OCTAL = { count: 2, pattern: /[0-7]/ }
const ESCAPE_DIGITS: Readonly<Record<string, { readonly count: number; readonly pattern: RegExp }>> = {
  x: { count: 2, pattern: HEX },
  X: { count: 2, pattern: HEX },
  u: { count: 4, pattern: HEX },
  U: { count: 8, pattern: HEX },
}

const PREFIX = /^(?:[bB]?[rR]|[bB])?("""|'''|"|')/

function readString(chars: readonly string[], at: number, issues: Issue[]): Read | undefined {
  if (!/["'bBrR]/.test(chars[at] ?? '')) return undefined
  const head = PREFIX.exec(chars.slice(at, at + 5).join(''))
  if (head === null) return undefined
  const quote = head[1] ?? ''
  const prefix = head[0].slice(0, -quote.length).toLowerCase()
  const raw = prefix.includes('r')
  let end = at + head[0].length
  const start = end
  for (;;) {
    // The first two of three quotes are an empty string.
    if (end >= chars.length && quote.length === 3) return emptyString(chars, at, start - 1)
    if (end >= chars.length || (quote.length === 1 && (chars[end] === '\n' || chars[end] === '\r'))) return undefined
    if (!raw && chars[end] === '\\') end += 2
    else if (chars[end] === quote || (quote.length === 3 && chars.slice(end, end + 3).join('') === quote)) break
    else end++
  }
  const text = chars.slice(at, end + quote.length).join('')
  const body = chars.slice(start, end)
  const bytes = prefix.includes('b')
  try {
    const value: Literal = bytes ? { type: 'bytes', value: bytesOf(body, raw) } : { type: 'string', value: stringOf(body, raw) }
    return { token: { kind: 'literal', at, text, value }, next: end + quote.length }
  } catch (error) {
    issues.push({ at, message: messageOf(error) })
    return { token: { kind: 'literal', at, text, value: { type: 'string', value: '' } }, next: end + quote.length }
  }
}

function emptyString(chars: readonly string[], at: number, next: number): Read {
  const text = chars.slice(at, next).join('')
  const value: Literal = /^b/i.test(text) ? { type: 'bytes', value: new Uint8Array() } : { type: 'string', value: '' }
  return { token: { kind: 'literal', at, text, value }, next }
}

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  '?': 63,
  '"': 34,
  "'": 39,
  '`': 96,
}

/** Calls back for each character of a string or of bytes: a code point, or with `byte` the value of a `\x` or octal escape. */
function decodeEscapes(body: readonly string[], bytes: boolean, emit: (code: number, byte: boolean) => void): void {
  for (let i = 0; i < body.length; i++) {
    const c = body[i] ?? ''
    if (c !== '\\') {
      emit(c.codePointAt(0) ?? 0, false)
      continue
    }
    const e = body[++i] ?? ''
    const simple = SIMPLE[e]
    const take = (n: number, pattern: RegExp) => {
      const digits = body.slice(i + 1, i + 1 + n).join('')
      if (!pattern.test(digits) || digits.length !== n) throw new Error('invalid escape sequence')
      i += n
      return digits
    }
    if (simple !== undefined) emit(simple, false)
    else if (e === 'x' || e === 'X') emit(Number.parseInt(take(2, /^[0-9a-fA-F]+$/), 16), true)
    else if (bytes && (e === 'u' || e === 'U')) throw new Error('unable to unescape string')
    else if (e === 'u') emit(codePoint(take(4, /^[0-9a-fA-F]+$/)), false)
    else if (e === 'U') emit(codePoint(take(8, /^[0-9a-fA-F]+$/)), false)
    else if (/[0-3]/.test(e)) emit(Number.parseInt(e + take(2, /^[0-7]+$/), 8), true)
    else throw new Error(`invalid escape sequence \\${e}`)
  }
}

function codePoint(hex: string): number {
  const code = Number.parseInt(hex, 16)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new Error('invalid unicode code point')
  return code
}

function stringOf(body: readonly string[], raw: boolean): string {
  if (raw) return body.join('')
  let out = ''
  decodeEscapes(body, false, (code) => {
    out += String.fromCodePoint(code)
  })
  return out
}

function bytesOf(body: readonly string[], raw: boolean): Uint8Array {
  if (raw) return Buffer.from(body.join(''))
  const out: number[] = []
  decodeEscapes(body, true, (code, byte) => {
    if (byte) out.push(code)
    else out.push(...Buffer.from(String.fromCodePoint(code)))
  })
  return Uint8Array.from(out)
}
