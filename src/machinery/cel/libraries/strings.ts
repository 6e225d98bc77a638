import type { Library } from '../environment.ts'
import { member, overload } from '../standard/declare.ts'
import { DYN, INT, listOf, STRING } from '../types.ts'
import { CelError, codePointsOf, nativeStrings, type Value } from '../values.ts'
import { format } from './format.ts'
import { formatFault } from './format-fault.ts'
import { lastPositionOf, positionsOf } from './text-search.ts'

/** The code points of the last long text: loops read the same text repeatedly. */
let known: { readonly text: string; readonly points: readonly string[] } = { text: '', points: [] }

function points(text: string): readonly string[] {
  if (text.length < 1000) return [...text]
  if (text !== known.text) known = { text, points: [...text] }
  return known.points
}

/** Positions count code points. In most texts they are units of UTF-16: there is nothing to convert. */
const isPlain = (text: string) => codePointsOf(text) === text.length

/** The unit of UTF-16 at which a code point begins. */
function unitAt(text: string, point: bigint): number {
  if (isPlain(text)) return Number(point)
  let unit = 0
  for (let i = 0n; i < point; i++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1
  return unit
}

/** The code point that begins at a unit of UTF-16. */
const pointAt = (text: string, unit: number): bigint => BigInt(isPlain(text) ? unit : codePointsOf(text.slice(0, unit)))

/** @throws {CelError} for a position outside of the text */
function checkPosition(text: string, at: bigint): void {
  if (at < 0n || at > BigInt(codePointsOf(text))) throw new CelError(`index out of range: ${at}`)
}

function charAt(s: string, at: bigint): string {
  checkPosition(s, at)
  return isPlain(s) ? s.charAt(Number(at)) : (points(s)[Number(at)] ?? '')
}

/** Behind the text nothing is found, but the empty text anywhere. */
function indexOf(s: string, part: string, from = 0n): bigint {
  if (part === '') return from
  if (from >= BigInt(codePointsOf(s))) return -1n
  checkPosition(s, from)
  for (const at of positionsOf(s, part, unitAt(s, from))) return pointAt(s, at)
  return -1n
}

function lastIndexOf(s: string, part: string, from?: bigint): bigint {
  if (part === '') return from ?? BigInt(codePointsOf(s))
  if (from !== undefined && from >= BigInt(codePointsOf(s))) return -1n
  if (from !== undefined) checkPosition(s, from)
  const at = lastPositionOf(s, part, from === undefined ? s.length : unitAt(s, from))
  return at < 0 ? -1n : pointAt(s, at)
}

function substring(s: string, start: bigint, end?: bigint): string {
  const size = BigInt(codePointsOf(s))
  const stop = end ?? size
  if (end !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0n || start > size) throw new CelError(`index out of range: ${start}`)
  if (stop < 0n || stop > size) throw new CelError(`index out of range: ${stop}`)
  if (isPlain(s)) return s.slice(Number(start), Number(stop))
  return points(s).slice(Number(start), Number(stop)).join('')
}

/** A longer text is not made. An expression's cost counts what is read, so a few megabytes could become terabytes. */
const LONGEST_RESULT = 16 << 20

function replace(s: string, from: string, to: string, limit = -1n): string {
  if (limit === 0n || from === to) return s
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)
  if (from === '') return replaceBetween(s, to, most)
  const parts = partsOf(s, from, most)
  checkLength(s.length + (parts.length - 1) * (to.length - from.length))
  return parts.join(to)
}

/** The text between all characters, before the first and after the last one, up to the most. */
function replaceBetween(s: string, to: string, most: number): string {
  const parts = ['', ...points(s), '']
  const count = Math.min(parts.length - 1, most)
  checkLength(s.length + count * to.length)
  return parts.slice(0, count + 1).join(to) + parts.slice(count + 1).join('')
}

function checkLength(characters: number): void {
  if (characters > LONGEST_RESULT) throw new CelError(`replace makes a text of more than ${LONGEST_RESULT} characters`)
}

/** The parts between the first `most` positions of a text. */
function partsOf(s: string, by: string, most: number): string[] {
  const parts: string[] = []
  let end = 0
  for (const at of positionsOf(s, by)) {
    if (parts.length >= most) break
    parts.push(s.slice(end, at))
    end = at + by.length
  }
  parts.push(s.slice(end))
  return parts
}

function split(s: string, by: string, limit = -1n): string[] {
  if (limit === 0n) return []
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit) - 1
  if (by !== '') return partsOf(s, by, most)
  const all = points(s)
  return all.length <= most + 1 ? [...all] : [...all.slice(0, most), all.slice(most).join('')]
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
/** Whole words at once: a text may consist of a million letters. */
const lowerAscii = (s: string) => s.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
const upperAscii = (s: string) => s.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

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
    lowerAscii: [member('string_lower_ascii', [STRING], STRING, lowerAscii)],
    upperAscii: [member('string_upper_ascii', [STRING], STRING, upperAscii)],
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
  callChecks: { format: formatFault },
}
