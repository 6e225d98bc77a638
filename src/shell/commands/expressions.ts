import type { Matcher, RE2JS } from 're2js'
import { Pace, type Steps } from '../../base/steps.ts'
import { compileRegex } from '../../machinery/go/compile-regex.ts'

/** Instructions of an expression times characters of a text: RE2 takes some 3 ns for each at worst, and cannot be interrupted. */
const MOST_MATCH_WORK = 1 << 25
/** So many of them are a unit of work (see `Pacer`). */
const MATCH_WORK_PER_UNIT = 300
/** What a substitution may make of a text. */
const LONGEST_RESULT = 16 << 20
/** What finding a match costs (see `Pace`), and so many characters that are looked at for it. */
const MATCH_WORK = 1
const CHARACTERS_PER_UNIT = 8

/**
 * A POSIX regular expression, as RE2 reads it: in linear time. In a basic one `\(`, `\)`, `\{`, `\}`, `\+`, `\?` and `\|` are what they are
 * without the backslash in an extended one, and the other way round.
 * @throws {Error} for what is no expression, and for one that is too large
 */
export function compileExpression(source: string, extended: boolean, ignoreCase = false): RE2JS {
  return compileRegex(extendedExpression(source, extended), { ignoreCase })
}

/** The source in the extended notation. */
export function extendedExpression(source: string, extended: boolean): string {
  return extended ? source : source.replace(/\\?[(){}+?|]/g, (c) => (c.length === 2 ? c.slice(1) : `\\${c}`))
}

/** @throws {Error} when expression and text together are too large to be matched in one turn of the event loop */
export function matcherOf(expression: RE2JS, text: string): Matcher {
  if (expression.programSize() * text.length > MOST_MATCH_WORK)
    throw new Error(`the regular expression is too large for a text of ${text.length} characters`)
  return expression.matcher(text)
}

/** The work of a match, at worst (see `Pacer`). */
export const matchWork = (expression: RE2JS, text: string): number => (expression.programSize() * text.length) / MATCH_WORK_PER_UNIT

export interface Substitution {
  readonly text: string
  /** How many matches were replaced. */
  readonly count: number
}

/**
 * The text with its first match, or all of them, replaced; in steps, because an expression may look to the end of the text for each match.
 */
export function* substituteMatches(
  expression: RE2JS,
  text: string,
  { replacement, all }: { readonly replacement: (matcher: Matcher) => string; readonly all: boolean },
): Steps<Substitution> {
  const matcher = matcherOf(expression, text)
  const pace = new Pace()
  if (pace.due(matchWork(expression, text))) yield
  const reach = reachOf(expression)
  const parts: string[] = []
  let [last, count, length] = [0, 0, text.length]
  while (matcher.find()) {
    const by = replacement(matcher)
    length += by.length
    if (length > LONGEST_RESULT) throw new Error('a text is too long')
    parts.push(text.slice(last, matcher.start()), by)
    last = matcher.end()
    count++
    if (!all) break
    if (pace.due(MATCH_WORK + Math.min(reach, text.length - last) / CHARACTERS_PER_UNIT)) yield
  }
  return { text: parts.join('') + text.slice(last), count }
}

/** How many characters beyond a match may be looked at to find it: with a repetition without a bound, all. */
function reachOf(expression: RE2JS): number {
  return /[*+]|\{\d+,\}/.test(expression.pattern()) ? Number.POSITIVE_INFINITY : expression.programSize()
}
