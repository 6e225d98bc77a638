import { RE2JS } from 're2js'
import { memo } from '../../../base/collections/memo.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { Library } from '../environment.ts'
import { BOOL, STRING } from '../types.ts'
import { CelError } from '../values.ts'
import { member, overload } from './declare.ts'

/** A pattern in RE2 syntax, which matches in linear time. */
export const regex: (pattern: string) => RE2JS = memo(
  (pattern) => {
    try {
      return RE2JS.compile(pattern)
    } catch (error) {
      throw new CelError(messageOf(error))
    }
  },
  { most: 1000 },
)

const matches = (text: string, pattern: string) => regex(pattern).test(text)

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
