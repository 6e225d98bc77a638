import { MatcherInput } from 're2js'
import type { Library } from '../environment.ts'
import { positionsOf } from '../libraries/text-search.ts'
import { matching } from '../standard/costs.ts'
import { member } from '../standard/declare.ts'
import { matchable, regex } from '../standard/strings.ts'
import { INT, listOf, STRING } from '../types.ts'
import { CelError, nativeStrings } from '../values.ts'

function find(text: string, pattern: string): string {
  const m = matchable(text, pattern).matcher(text)
  return m.find() ? (m.group() ?? '') : ''
}

function findAll(text: string, pattern: string, limit = -1n): string[] {
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)
  if (pattern !== '' && PLAIN_PATTERN.test(pattern)) return Array(countOf(text, pattern, most)).fill(pattern)
  // The matcher takes objects, though its types do not say so.
  const m = matchable(text, pattern).matcher(MatcherInput.utf16(new MeteredText(text) as unknown as string))
  const found: string[] = []
  while (found.length < most && m.find()) found.push(m.group() ?? '')
  return found
}

/** A pattern that is found as it is written. */
const PLAIN_PATTERN = /^[\w ,:;/@#%&=~"'<>-]*$/

function countOf(text: string, part: string, most: number): number {
  let count = 0
  for (const _ of positionsOf(text, part)) if (++count >= most) break
  return Math.min(count, most)
}

/** Most characters that one search for all matches may read: of each character of the text, and beside. Usual patterns read up to ten. */
const MOST_READ = { ofEach: 30, beside: 50_000, inAll: 4_000_000 }

/**
 * A text that counts what is read of it. One match is found in linear time, but each search for the next one may read all that follows:
 * `a.*b|a` in many times `a`.
 *
 * It does not extend `String`: such a class makes V8 run `charCodeAt` of every string of the process four times slower.
 */
class MeteredText {
  readonly length: number
  readonly #text: string
  #left: number

  constructor(text: string) {
    this.#text = text
    this.length = text.length
    this.#left = Math.min(MOST_READ.ofEach * text.length + MOST_READ.beside, MOST_READ.inAll)
  }

  /** The matcher takes what says that it is a string. */
  get [Symbol.toStringTag](): string {
    return 'String'
  }

  charCodeAt(at: number): number {
    this.#spend(1)
    return this.#text.charCodeAt(at)
  }

  indexOf(part: string, from = 0): number {
    const at = this.#text.indexOf(part, from)
    this.#spend((at < 0 ? this.length : at) - from)
    return at
  }

  substring(from: number, to: number): string {
    return this.#text.substring(from, to)
  }

  #spend(characters: number): void {
    this.#left -= characters
    if (this.#left < 0) throw new CelError('the text is too long to be searched for all matches of this pattern')
  }
}

/** An invalid pattern literal is a compile error. */
const check = { arg: 1, check: (pattern: string) => regex(pattern) !== undefined, complaint: '' }

/** `find` and `findAll`. */
export const REGEX: Library = {
  functions: {
    find: [member('string_find_string', [STRING, STRING], STRING, find)],
    findAll: [
      member('string_find_all_string', [STRING, STRING], listOf(STRING), (s: string, p: string) => nativeStrings(findAll(s, p))),
      member('string_find_all_string_int', [STRING, STRING, INT], listOf(STRING), (s: string, p: string, limit: bigint) =>
        nativeStrings(findAll(s, p, limit)),
      ),
    ],
  },
  costs: { find: matching, findAll: matching },
  literalChecks: { find: check, findAll: check },
}
