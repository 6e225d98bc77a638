import type { RE2JS } from 're2js'
import { compileExpression } from '../expressions.ts'

/** Which line: by its number, the last one, or one that matches. */
export type Address =
  | { readonly kind: 'line'; readonly number: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'match'; readonly expression: RE2JS }

export interface SubstituteAction {
  readonly kind: 'substitute'
  readonly expression: RE2JS
  readonly replacement: string
  readonly all: boolean
  readonly print: boolean
}

export type Action =
  | SubstituteAction
  | { readonly kind: 'delete' | 'print' | 'quit' }
  | { readonly kind: 'append' | 'insert' | 'change'; readonly text: string }

/** One command, and the lines that it is for. */
export interface Edit {
  readonly from?: Address
  readonly to?: Address
  readonly negated: boolean
  readonly action: Action
}

/** @throws {Error} for a command that is not supported */
export function parseSedScript(script: string, extended: boolean): readonly Edit[] {
  return new SedParser(script, extended).edits()
}

class SedParser {
  readonly #script: string
  readonly #extended: boolean
  #at = 0

  constructor(script: string, extended: boolean) {
    this.#script = script
    this.#extended = extended
  }

  edits(): readonly Edit[] {
    const edits: Edit[] = []
    this.#take(/[\s;]+/y)
    while (this.#at < this.#script.length) {
      const from = this.#address()
      const to = from !== undefined && this.#take(/\s*,\s*/y) !== undefined ? this.#address() : undefined
      const negated = this.#take(/\s*!/y) !== undefined
      edits.push({ ...(from !== undefined && { from }), ...(to !== undefined && { to }), negated, action: this.#action() })
      this.#take(/[\s;]+/y)
    }
    return edits
  }

  #address(): Address | undefined {
    const number = this.#take(/\d{1,9}/y)
    if (number !== undefined) return { kind: 'line', number: Number(number[0]) }
    if (this.#take(/\$/y) !== undefined) return { kind: 'last' }
    return this.#take(/\//y) === undefined ? undefined : { kind: 'match', expression: this.#compile(this.#upTo('/', true)) }
  }

  #action(): Action {
    const letter = this.#take(/\s*([a-z])/y)?.[1]
    switch (letter) {
      case 'd':
        return { kind: 'delete' }
      case 'p':
        return { kind: 'print' }
      case 'q':
        return { kind: 'quit' }
      case 'a':
      case 'i':
      case 'c':
        return { kind: ({ a: 'append', i: 'insert', c: 'change' } as const)[letter], text: this.#take(/\s*\\?\n?(.*)/y)?.[1] ?? '' }
      case 's':
        return this.#substitution()
      default:
        throw new Error(`unsupported command ${letter ?? ''} in: ${this.#script}`)
    }
  }

  #substitution(): SubstituteAction {
    const delimiter = this.#take(/./sy)?.[0] ?? ''
    const source = this.#upTo(delimiter, true)
    const replacement = this.#upTo(delimiter)
    const flags = this.#take(/[gpiI]*/y)?.[0] ?? ''
    const expression = this.#compile(source, /[iI]/.test(flags))
    return { kind: 'substitute', expression, replacement, all: flags.includes('g'), print: flags.includes('p') }
  }

  #compile(source: string, ignoreCase = false): RE2JS {
    return compileExpression(source, this.#extended, ignoreCase)
  }

  /** The text up to a delimiter. After a backslash, and in the brackets of an expression, the delimiter is literal. */
  #upTo(delimiter: string, expression = false): string {
    let text = ''
    for (let c = this.#next(); c !== undefined; c = this.#next()) {
      if (c === delimiter) return text
      const brackets = expression && c === '[' ? this.#take(/\^?\]?(?:[^[\]\n]|\[:\w+:\]|\[)*\]/y) : undefined
      if (brackets !== undefined) {
        text += c + brackets[0]
        continue
      }
      const escaped = c === '\\' ? (this.#next() ?? '') : ''
      text += escaped === delimiter ? delimiter : c + escaped
    }
    throw new Error(`bad command: ${this.#script}`)
  }

  #next(): string | undefined {
    return this.#script[this.#at++]
  }

  /** `pattern` is sticky. */
  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#script) ?? undefined
    this.#at += found?.[0].length ?? 0
    return found
  }
}
