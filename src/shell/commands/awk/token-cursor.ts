import { readTokens, type Token } from './lexer.ts'

/** Expressions and statements inside of each other. */
const DEEPEST = 200
const END: Token = { kind: 'end' }

/** The tokens of a program, and how far they have been read. */
export class TokenCursor {
  readonly #tokens: readonly Token[]
  #depth = 0
  /** The index of the next token. */
  at = 0

  constructor(source: string) {
    this.#tokens = readTokens(source)
  }

  get here(): Token {
    return this.ahead(0)
  }

  ahead(count: number): Token {
    return this.#tokens[this.at + count] ?? END
  }

  /** Whether the next token is this sign or word. */
  is(text: string): boolean {
    return isText(this.here, text)
  }

  /** The first of these signs that comes next. */
  which(texts: readonly string[]): string | undefined {
    return texts.find((text) => this.is(text))
  }

  /** Passes this sign or word if it comes next. */
  take(text: string): boolean {
    const found = this.is(text)
    if (found) this.at++
    return found
  }

  /** @throws {Error} when something else comes next */
  need(text: string): void {
    if (!this.take(text)) this.fail()
  }

  skipNewlines(): void {
    while (this.here.kind === 'newline') this.at++
  }

  /** Skips separators between two statements. */
  skipSeparators(): void {
    while (this.here.kind === 'newline' || this.is(';')) this.at++
  }

  /** Whether a statement ends here. */
  get ends(): boolean {
    return this.here.kind === 'newline' || this.here.kind === 'end' || this.is(';') || this.is('}')
  }

  /** @throws {Error} when no name comes next */
  name(): string {
    const token = this.here
    if (token.kind !== 'name' && token.kind !== 'call') return this.fail()
    this.at++
    return token.text
  }

  /** Reads something that may hold others of its kind. @throws {Error} when they are too deep */
  nested<T>(read: () => T): T {
    if (++this.#depth > DEEPEST) throw new Error('syntax error: too deep')
    const value = read()
    this.#depth--
    return value
  }

  fail(): never {
    const token = this.here
    throw new Error(`syntax error at or near ${'text' in token ? token.text : token.kind === 'number' ? String(token.value) : token.kind}`)
  }
}

export const isText = (token: Token, text: string): boolean => (token.kind === 'sign' || token.kind === 'word') && token.text === text
