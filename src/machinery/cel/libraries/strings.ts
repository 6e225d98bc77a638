import { byText } from '../../../base/by-text.ts'
import type { Library } from '../environment.ts'
import { formatDouble } from '../standard/conversions.ts'
import { member, overload } from '../standard/declare.ts'
import { formatDuration, formatTimestamp } from '../standard/time.ts'
import { DYN, INT, listOf, STRING } from '../types.ts'
import { CelError, CelMap, Duration, isList, nativeStrings, Timestamp, TypeValue, typeName, Uint, type Value } from '../values.ts'

/** The code points of the last long text: loops read the same text repeatedly. */
let known: { readonly text: string; readonly points: readonly string[] } = { text: '', points: [] }

function points(text: string): readonly string[] {
  if (text.length < 1000) return [...text]
  if (text !== known.text) known = { text, points: [...text] }
  return known.points
}

function charAt(s: string, at: bigint): string {
  const chars = points(s)
  if (at < 0n || at > BigInt(chars.length)) throw new CelError(`index out of range: ${at}`)
  return chars[Number(at)] ?? ''
}

function indexOf(s: string, part: string, from = 0n): bigint {
  const chars = points(s)
  if (from < 0n || from > BigInt(chars.length)) throw new CelError(`index out of range: ${from}`)
  if (part === '') return from
  const at = chars.slice(Number(from)).join('').indexOf(part)
  return at < 0 ? -1n : from + BigInt(points(chars.slice(Number(from)).join('').slice(0, at)).length)
}

function lastIndexOf(s: string, part: string, from?: bigint): bigint {
  const chars = points(s)
  if (from !== undefined && (from < 0n || from > BigInt(chars.length))) throw new CelError(`index out of range: ${from}`)
  const wanted = points(part)
  let at = Math.min(from === undefined ? chars.length : Number(from), chars.length - wanted.length)
  for (; at >= 0; at--) if (wanted.every((c, i) => chars[at + i] === c)) return BigInt(at)
  return -1n
}

function substring(s: string, start: bigint, end?: bigint): string {
  const chars = points(s)
  const size = BigInt(chars.length)
  const stop = end ?? size
  if (end !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0n || start > size) throw new CelError(`index out of range: ${start}`)
  if (stop < 0n || stop > size) throw new CelError(`index out of range: ${stop}`)
  return chars.slice(Number(start), Number(stop)).join('')
}

function replace(s: string, from: string, to: string, limit = -1n): string {
  if (limit === 0n || from === to) return s
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)
  if (from === '') {
    const chars = points(s)
    return chars.reduce((out, c, i) => out + (i < most ? to : '') + c, '') + (chars.length < most ? to : '')
  }
  const parts = s.split(from)
  return parts.reduce((out, part, i) => (i === 0 ? part : out + (i <= most ? to : from) + part), '')
}

function split(s: string, by: string, limit = -1n): string[] {
  if (limit === 0n) return []
  const parts = by === '' ? [...s] : s.split(by)
  if (limit < 0n || BigInt(parts.length) <= limit) return parts
  const most = Number(limit)
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(by)]
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}
const quote = (s: string) =>
  `"${points(s)
    .map((c) => ESCAPES[c] ?? (/[\ud800-\udfff]/.test(c) && c.length === 1 ? '\ufffd' : c))
    .join('')}"`

/** Unicode's White_Space, which differs from JavaScript's `\s`. */
const isSpace = (c: string) => /\p{White_Space}/u.test(c)
function trim(s: string): string {
  let [from, to] = [0, s.length]
  while (from < to && isSpace(s.charAt(from))) from++
  while (from < to && isSpace(s.charAt(to - 1))) to--
  return s.slice(from, to)
}
const ascii = (from: RegExp, by: number) => (s: string) => s.replace(from, (c) => String.fromCharCode(c.charCodeAt(0) + by))

const join = (list: readonly Value[], by = '') => {
  for (const item of list) if (typeof item !== 'string') throw new CelError('no such overload')
  return list.join(by)
}

/** The strings extension of cel-go (`ext.Strings`). */
export const STRING_EXTENSION: Library = {
  functions: {
    charAt: [member('string_char_at_int', [STRING, INT], STRING, charAt)],
    indexOf: [
      member('string_index_of_string', [STRING, STRING], INT, (s: string, p: string) => indexOf(s, p)),
      member('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf),
    ],
    lastIndexOf: [
      member('string_last_index_of_string', [STRING, STRING], INT, (s: string, p: string) => lastIndexOf(s, p)),
      member('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOf),
    ],
    join: [
      member('list_join', [listOf(STRING)], STRING, (l: readonly Value[]) => join(l)),
      member('list_join_string', [listOf(STRING), STRING], STRING, join),
    ],
    lowerAscii: [member('string_lower_ascii', [STRING], STRING, ascii(/[A-Z]/g, 32))],
    upperAscii: [member('string_upper_ascii', [STRING], STRING, ascii(/[a-z]/g, -32))],
    replace: [
      member('string_replace_string_string', [STRING, STRING, STRING], STRING, (s: string, a: string, b: string) => replace(s, a, b)),
      member('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace),
    ],
    split: [
      member('string_split_string', [STRING, STRING], listOf(STRING), (s: string, by: string) => nativeStrings(split(s, by))),
      member('string_split_string_int', [STRING, STRING, INT], listOf(STRING), (s: string, by: string, limit: bigint) =>
        nativeStrings(split(s, by, limit)),
      ),
    ],
    substring: [
      member('string_substring_int', [STRING, INT], STRING, (s: string, start: bigint) => substring(s, start)),
      member('string_substring_int_int', [STRING, INT, INT], STRING, substring),
    ],
    trim: [member('string_trim', [STRING], STRING, trim)],
    reverse: [member('string_reverse', [STRING], STRING, (s: string) => points(s).toReversed().join(''))],
    'strings.quote': [overload('strings_quote', [STRING], STRING, quote)],
    format: [member('string_format', [STRING, listOf(DYN)], STRING, format)],
  },
}

/** `"%s is %d".format([a, b])` */
function format(template: string, args: readonly Value[]): string {
  let at = 0
  let out = ''
  const chars = points(template)
  for (let i = 0; i < chars.length; i++) {
    if (chars[i] !== '%') {
      out += chars[i]
      continue
    }
    const clause = /^(?:%|(?:\.(\d+))?([a-zA-Z]))/.exec(chars.slice(i + 1, i + 12).join(''))
    if (clause === null) throw new CelError('unexpected end of format string')
    i += points(clause[0]).length
    if (clause[0] === '%') {
      out += '%'
      continue
    }
    if (at >= args.length) throw new CelError(`index ${at} out of range`)
    out += formatOne(clause[2] ?? '', clause[1] === undefined ? undefined : Number(clause[1]), args[at++] as Value)
  }
  return out
}

function formatOne(verb: string, precision: number | undefined, value: Value): string {
  switch (verb) {
    case 's':
      return formatString(value)
    case 'd':
      if (typeof value === 'bigint') return String(value)
      if (value instanceof Uint) return String(value.value)
      if (typeof value === 'number' && !Number.isFinite(value)) return special(value)
      throw formatError('integer clause can only be used on integers', value)
    case 'f':
    case 'e':
      return formatFloat(verb, precision ?? 6, value)
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0'
      return radix(value, 2, 'binary clause can only be used on integers and bools')
    case 'o':
      return radix(value, 8, 'octal clause can only be used on integers')
    case 'x':
    case 'X': {
      const hex =
        typeof value === 'string' || value instanceof Uint8Array
          ? Buffer.from(value as string).toString('hex')
          : radix(value, 16, 'only integers, byte buffers, and strings can be formatted as hex')
      return verb === 'X' ? hex.toUpperCase() : hex
    }
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
  }
}

const formatError = (what: string, value: Value) => new CelError(`error during formatting: ${what}, was given ${typeName(value)}`)
const special = (n: number) => (Number.isNaN(n) ? 'NaN' : n > 0 ? 'Infinity' : '-Infinity')

function radix(value: Value, base: number, complaint: string): string {
  if (typeof value === 'bigint') return value.toString(base)
  if (value instanceof Uint) return value.value.toString(base)
  throw formatError(complaint, value)
}

function formatFloat(verb: 'f' | 'e', precision: number, value: Value): string {
  const n =
    typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : value instanceof Uint ? Number(value.value) : undefined
  if (n === undefined)
    throw formatError(
      `${verb === 'f' ? 'fixed-point' : 'scientific'} clause can only be used on ${verb === 'f' ? 'doubles' : 'doubles'}`,
      value,
    )
  if (!Number.isFinite(n)) return special(n)
  if (verb === 'f') return fixed(n, Math.min(precision, 100))
  return n.toExponential(Math.min(precision, 100)).replace(/e([+-])(\d)$/, 'e$10$2')
}

/** Go rounds halves to even, JavaScript away from zero. */
function fixed(n: number, precision: number): string {
  const scaled = Math.abs(n) * 10 ** precision
  const below = Math.floor(scaled)
  if (scaled - below !== 0.5 || below % 2 === 1 || scaled > 2 ** 52) return n.toFixed(precision)
  return ((Math.sign(n) * below) / 10 ** precision).toFixed(precision)
}

/** A value as `%s` formats it. */
export function formatString(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? formatDouble(value) : special(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  if (value instanceof TypeValue) return value.name
  if (isList(value)) return `[${value.map(formatString).join(', ')}]`
  if (value instanceof CelMap) {
    const entries = [...value.entries()].map(([k, v]) => `${formatString(k)}: ${formatString(v)}`)
    return `{${entries.sort(byText).join(', ')}}`
  }
  throw new CelError(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeName(value)}`,
  )
}
