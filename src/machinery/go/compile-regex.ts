import { RE2JS } from 're2js'
import { LruMap } from '../../base/collections/lru-map.ts'

/** The most that compiling an expression may cost, in microseconds (see `compileWork`): it cannot be interrupted. Go has no such limit. */
export const MOST_COMPILE_WORK = 60_000
const OF_CHARACTER = 4
/** Of a class of Unicode (`\pL`), which is a table of hundreds of ranges. */
const OF_UNICODE_CLASS = 100
/** Of each code point of a range that has to be folded: RE2 looks up its other cases. */
const OF_FOLDED_CODE_POINT = 0.03
/** Beyond this code point nothing has another case. */
const LAST_FOLDED = 0x1e943

const UNICODE_CLASS = /\\[pP]/g
const IGNORES_CASE = /\(\?[A-Za-z]*i/
const CODE_POINT = String.raw`\\x\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\?[^]`
const RANGE = new RegExp(`(${CODE_POINT})-(${CODE_POINT})`, 'gu')

/** At least what compiling the expression costs, in microseconds. The figures were measured with re2js 2.10 on Node 26. */
export function compileWork(source: string, ignoreCase = false): number {
  let work = source.length * OF_CHARACTER + (source.match(UNICODE_CLASS)?.length ?? 0) * OF_UNICODE_CLASS
  if (ignoreCase || IGNORES_CASE.test(source))
    for (const [, from = '', to = ''] of source.matchAll(RANGE))
      work += Math.max(0, Math.min(codeOf(to), LAST_FOLDED) - codeOf(from)) * OF_FOLDED_CODE_POINT
  return work
}

function codeOf(written: string): number {
  if (!written.startsWith('\\x')) return written.codePointAt(written.length > 1 && written.startsWith('\\') ? 1 : 0) ?? 0
  return Number.parseInt(written.replace(/[\\x{}]/g, ''), 16) || 0
}

/** Compiled expressions that are kept, in instructions of some 300 bytes each. */
const MOST_INSTRUCTIONS = 200_000
const exact = new LruMap<string, RE2JS>(MOST_INSTRUCTIONS)
const ignoring = new LruMap<string, RE2JS>(MOST_INSTRUCTIONS)
/** The faults of invalid expressions, up to so many characters of these. */
const MOST_INVALID = 1 << 20
const invalid = new LruMap<string, Error>(MOST_INVALID)

/**
 * An expression in RE2's syntax, which matches in linear time. Those used lately are kept, and the faults of invalid ones.
 * @throws {Error} for an invalid expression, and for one that would take too long to compile; the message is Go's
 */
export function compileRegex(source: string, { ignoreCase = false }: { readonly ignoreCase?: boolean } = {}): RE2JS {
  const kept = ignoreCase ? ignoring : exact
  const known = kept.get(source)
  if (known !== undefined) return known
  const fault = invalid.get(source)
  if (fault !== undefined) throw fault
  if (compileWork(source, ignoreCase) > MOST_COMPILE_WORK) throw new Error('error parsing regexp: expression too large')
  try {
    const made = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    kept.set(source, made, made.programSize())
    return made
  } catch (error) {
    if (error instanceof Error) invalid.set(source, error, source.length)
    throw error
  }
}
