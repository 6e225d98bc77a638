/** A piece of a pattern: of the quoted ones each character stands for itself. */
export interface PatternPiece {
  readonly text: string
  readonly quoted: boolean
}

type Token = { readonly kind: 'any' } | { readonly kind: 'one'; readonly fits: (character: string) => boolean }

/** A shell pattern (`*`, `?`, `[a-z]`, `[!a-z]`), POSIX 2.14. Takes time in proportion to pattern times text, at most. */
export interface Pattern {
  matches(text: string): boolean
  /** Whether it has a `*`, `?` or `[` that is not quoted. */
  readonly special: boolean
}

export function compilePattern(pieces: readonly PatternPiece[]): Pattern {
  const tokens = pieces.flatMap(({ text, quoted }) => (quoted ? [...text].map(exactly) : readTokens([...text])))
  return {
    special: pieces.some(({ text, quoted }) => !quoted && /[*?[]/.test(text)),
    matches: (text) => match(tokens, [...text]),
  }
}

const ANY: Token = { kind: 'any' }

function exactly(wanted: string): Token {
  return { kind: 'one', fits: (c) => c === wanted }
}

function readTokens(text: readonly string[]): readonly Token[] {
  const tokens: Token[] = []
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? ''
    if (c === '*') tokens.push(ANY)
    else if (c === '?') tokens.push({ kind: 'one', fits: () => true })
    else if (c === '\\' && i + 1 < text.length) tokens.push(exactly(text[++i] ?? ''))
    else if (c === '[') {
      const end = endOfBracket(text, i)
      if (end === undefined) tokens.push(exactly(c))
      else {
        tokens.push({ kind: 'one', fits: readBracket(text.slice(i + 1, end)) })
        i = end
      }
    } else tokens.push(exactly(c))
  }
  return tokens
}

/** A `]` that comes first belongs to the set. */
function endOfBracket(text: readonly string[], start: number): number | undefined {
  let i = start + 1
  if (text[i] === '!' || text[i] === '^') i++
  if (text[i] === ']') i++
  while (i < text.length && text[i] !== ']') i = text[i] === '[' && text[i + 1] === ':' ? text.indexOf(']', i) + 1 || text.length : i + 1
  return i < text.length ? i : undefined
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

function readBracket(inside: readonly string[]): (character: string) => boolean {
  const negated = inside[0] === '!' || inside[0] === '^'
  const tests: ((c: string) => boolean)[] = []
  for (let i = negated ? 1 : 0; i < inside.length; i++) {
    const c = inside[i] ?? ''
    const named = c === '[' && inside[i + 1] === ':' ? inside.indexOf(']', i) : -1
    if (named > 0) {
      const known = CLASSES[inside.slice(i + 2, named - 1).join('')]
      tests.push((x) => known?.test(x) ?? false)
      i = named
    } else if (inside[i + 1] === '-' && i + 2 < inside.length) {
      const last = inside[i + 2] ?? ''
      tests.push((x) => x >= c && x <= last)
      i += 2
    } else tests.push((x) => x === c)
  }
  return (c) => tests.some((fits) => fits(c)) !== negated
}

/** Goes back to the last `*` only: what an earlier one took needs no second look. */
function match(tokens: readonly Token[], text: readonly string[]): boolean {
  let [t, i] = [0, 0]
  let back: { t: number; i: number } | undefined
  while (i < text.length) {
    const token = tokens[t]
    if (token?.kind === 'any') {
      back = { t: t + 1, i }
      t++
    } else if (token?.fits(text[i] ?? '')) {
      t++
      i++
    } else if (back !== undefined) {
      back.i++
      t = back.t
      i = back.i
    } else return false
  }
  while (tokens[t]?.kind === 'any') t++
  return t === tokens.length
}
