import { atOnce, type Steps } from '../../base/steps.ts'
import { ShellError } from '../shell-state.ts'
import { codePointsOf, LONGEST_WORD, offsetOf } from './characters.ts'
import { endOfMatch, findMatch, fitsWhole, reversed, type Segments, type Single, type Span } from './match-segments.ts'

/** A piece of a pattern: in a quoted one each character is literal. */
export interface PatternPiece {
  readonly text: string
  readonly quoted: boolean
}

/** Where a pattern is replaced: the first match, all of them, the one at the start, or the one at the end. */
export type ReplaceMode = '/' | '//' | '/#' | '/%'

/** A shell pattern (`*`, `?`, `[a-z]`, `[!a-z]`), POSIX 2.14. A text is looked at once, whatever the pattern. */
export class Pattern {
  readonly #segments: Segments
  /** Whether it has a `*`, `?` or `[` that is not quoted. */
  readonly special: boolean

  constructor(segments: Segments, special: boolean) {
    this.#segments = segments
    this.special = special
  }

  /** Whether the whole text fits. For short texts: a long one keeps others from their turn. */
  matches(text: string): boolean {
    return atOnce(this.fits(text))
  }

  /** The same in steps. */
  fits(text: string): Steps<boolean> {
    return fitsWhole(this.#segments, codePointsOf(text))
  }

  /** The text without the shortest or longest prefix that fits. */
  *withoutPrefix(text: string, longest: boolean): Steps<string> {
    const end = yield* endOfMatch(this.#segments, codePointsOf(text), 0, longest)
    return end === undefined ? text : text.slice(offsetOf(text, end))
  }

  /** The text without the shortest or longest suffix that fits. */
  *withoutSuffix(text: string, longest: boolean): Steps<string> {
    const start = yield* this.#startOfSuffix(codePointsOf(text), longest)
    return start === undefined ? text : text.slice(0, offsetOf(text, start))
  }

  /**
   * The text with the longest matches replaced; empty ones are left alone.
   * @throws {ShellError} when the replacements are far longer than a word may be
   */
  *replace(text: string, mode: ReplaceMode, replacement: string): Steps<string> {
    const codes = codePointsOf(text)
    const parts: string[] = []
    // `offset` is the position of the string, `last` the number of characters up to there.
    let [offset, last] = [0, 0]
    let length = codes.length
    for (let span = yield* this.#first(codes, mode); span !== undefined; span = yield* findMatch(this.#segments, codes, last)) {
      length += replacement.length
      if (length > 2 * LONGEST_WORD) throw new ShellError('out of space')
      const start = offset + offsetOf(text.slice(offset), span.start - last)
      parts.push(text.slice(offset, start), replacement)
      offset = start + offsetOf(text.slice(start), span.end - span.start)
      last = span.end
      if (mode !== '//') break
    }
    return parts.join('') + text.slice(offset)
  }

  *#first(codes: Uint32Array, mode: ReplaceMode): Steps<Span | undefined> {
    if (mode === '/' || mode === '//') return yield* findMatch(this.#segments, codes, 0)
    const start = mode === '/#' ? 0 : yield* this.#startOfSuffix(codes, true)
    const end = mode === '/%' ? codes.length : yield* endOfMatch(this.#segments, codes, 0, true)
    return start === undefined || end === undefined || start === end ? undefined : { start, end }
  }

  *#startOfSuffix(codes: Uint32Array, longest: boolean): Steps<number | undefined> {
    const end = yield* endOfMatch(reversed(this.#segments), codes.toReversed(), 0, longest)
    return end === undefined ? undefined : codes.length - end
  }
}

export function compilePattern(pieces: readonly PatternPiece[]): Pattern {
  const segments: Single[][] = [[]]
  for (const { text, quoted } of joinedPieces(pieces)) {
    if (quoted) for (const code of codePointsOf(text)) segments.at(-1)?.push(code)
    else readSegments([...text], segments)
  }
  return new Pattern(
    segments,
    pieces.some(({ text, quoted }) => !quoted && /[*?[]/.test(text)),
  )
}

/** Pieces that are not quoted are read together: a set may be made of several (`[$letters]`). */
function joinedPieces(pieces: readonly PatternPiece[]): readonly PatternPiece[] {
  const joined: PatternPiece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last === undefined || last.quoted || piece.quoted) joined.push(piece)
    else joined[joined.length - 1] = { text: last.text + piece.text, quoted: false }
  }
  return joined
}

function readSegments(text: readonly string[], segments: Single[][]): void {
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? ''
    if (c === '*') openSegment(segments)
    else if (c === '?') segments.at(-1)?.push(() => true)
    else if (c === '\\' && i + 1 < text.length) segments.at(-1)?.push(codeOf(text[++i]))
    else {
      const end = c === '[' ? endOfBracket(text, i) : undefined
      segments.at(-1)?.push(end === undefined ? codeOf(c) : readBracket(text.slice(i + 1, end)))
      i = end ?? i
    }
  }
}

/** Stars beside each other are one. */
function openSegment(segments: Single[][]): void {
  if (segments.length === 1 || segments.at(-1)?.length !== 0) segments.push([])
}

const codeOf = (character: string | undefined): number => character?.codePointAt(0) ?? 0

/** A longer one is not looked for: a text of opening brackets would be read to its end for each of them. */
const LONGEST_BRACKET = 255

/** The index of the bracket that closes a set. A `]` that comes first belongs to the set, and so does that of `[:alpha:]`. */
function endOfBracket(text: readonly string[], start: number): number | undefined {
  const limit = Math.min(text.length, start + LONGEST_BRACKET)
  let i = start + 1
  if (text[i] === '!' || text[i] === '^') i++
  if (text[i] === ']') i++
  for (let inClass = false; i < limit && (inClass || text[i] !== ']'); i++) {
    if (text[i] === '[' && text[i + 1] === ':') inClass = true
    else if (text[i + 1] === ']' && inClass) [inClass, i] = [false, i + 1]
  }
  return i < limit ? i : undefined
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alpha: /\p{L}/u,
  digit: /[0-9]/,
  alnum: /[\p{L}0-9]/u,
  upper: /\p{Lu}/u,
  lower: /\p{Ll}/u,
  space: /\s/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[0-9a-fA-F]/,
}

function readBracket(inside: readonly string[]): (code: number) => boolean {
  const negated = inside[0] === '!' || inside[0] === '^'
  const tests: ((code: number) => boolean)[] = []
  for (let i = negated ? 1 : 0; i < inside.length; i++) {
    const c = inside[i] ?? ''
    const named = c === '[' && inside[i + 1] === ':' ? inside.indexOf(']', i) : -1
    if (named > 0) {
      const known = CLASSES[inside.slice(i + 2, named - 1).join('')]
      tests.push((x) => known?.test(String.fromCodePoint(x)) ?? false)
      i = named
    } else if (inside[i + 1] === '-' && i + 2 < inside.length) {
      const [first, last] = [codeOf(c), codeOf(inside[i + 2])]
      tests.push((x) => x >= first && x <= last)
      i += 2
    } else tests.push((x) => x === codeOf(c))
  }
  return (code) => tests.some((fits) => fits(code)) !== negated
}
