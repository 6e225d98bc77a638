import type { Library } from '../environment.ts'
import { matching } from '../standard/costs.ts'
import { member } from '../standard/declare.ts'
import { regex } from '../standard/strings.ts'
import { INT, listOf, STRING } from '../types.ts'
import { nativeStrings } from '../values.ts'

function find(text: string, pattern: string): string {
  const m = regex(pattern).matcher(text)
  return m.find() ? (m.group() ?? '') : ''
}

function findAll(text: string, pattern: string, limit = -1n): string[] {
  const m = regex(pattern).matcher(text)
  const found: string[] = []
  while ((limit < 0n || BigInt(found.length) < limit) && m.find()) found.push(m.group() ?? '')
  return found
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
