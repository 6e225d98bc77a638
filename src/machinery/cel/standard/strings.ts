import type { RE2JS } from 're2js'
import { messageOf } from '../../../base/message-of.ts'
import { compileRegex } from '../../go/compile-regex.ts'
import type { Library } from '../environment.ts'
import { BOOL, STRING } from '../types.ts'
import { CelError } from '../values.ts'
import { member, overload } from './declare.ts'

/** A pattern in RE2 syntax, which matches in linear time. */
export function regex(pattern: string): RE2JS {
  try {
    return compileRegex(pattern)
  } catch (error) {
    throw new CelError(messageOf(error))
  }
}

/** Instructions of a pattern times characters of a text: at worst 3 ns each, and a match cannot be interrupted. */
const MOST_MATCH_WORK = 1 << 25

/** @throws {CelError} when pattern and text together are too large to be matched in one turn of the event loop */
export function matchable(text: string, pattern: string): RE2JS {
  const compiled = regex(pattern)
  if (compiled.programSize() * text.length > MOST_MATCH_WORK) throw new CelError('the text is too long to be matched with this pattern')
  return compiled
}

const matches = (text: string, pattern: string) => matchable(text, pattern).test(text)

export function isPattern(pattern: string): boolean {
  try {
    regex(pattern)
    return true
  } catch {
    return false
  }
}

/** The string functions of the language itself. */
export const STRINGS: Library = {
  functions: {
    contains: [member('contains_string', [STRING, STRING], BOOL, (s: string, part: string) => s.includes(part))],
    endsWith: [member('ends_with_string', [STRING, STRING], BOOL, (s: string, end: string) => s.endsWith(end))],
    startsWith: [member('starts_with_string', [STRING, STRING], BOOL, (s: string, start: string) => s.startsWith(start))],
    matches: [overload('matches', [STRING, STRING], BOOL, matches), member('matches_string', [STRING, STRING], BOOL, matches)],
  },
  literalChecks: { matches: { arg: 1, check: isPattern, complaint: 'invalid matches argument' } },
}
