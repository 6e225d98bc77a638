import type { Token } from './lexer.ts'
import { type Expression, isPlace } from './syntax.ts'
import type { TokenCursor } from './token-cursor.ts'

/** Binary operators from the loosest to the tightest. */
const LEVELS: readonly (readonly string[])[] = [['||'], ['&&'], ['~', '!~'], ['<', '<=', '==', '!=', '>', '>=']]
/** `in` binds as tightly as a match. */
const IN_LEVEL = 2
/** After these operators a line may end and the expression continues. */
const LAST_LEVEL_OVER_LINES = 1
const ASSIGNMENT = /^(\*\*|[-+*/%^])?=$/
const STARTS_OF_VALUES: ReadonlySet<Token['kind']> = new Set(['number', 'string', 'name', 'call', 'regex'])

/** Reads expressions by recursive descent, a method for each level of the grammar. */
export class ExpressionParser {
  readonly #cursor: TokenCursor
  /** Inside of `print` a `>` writes to a file. */
  #printing = false

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor
  }

  expression(): Expression {
    return this.#cursor.nested(() => this.#assignment())
  }

  /** Expressions up to a closing bracket. */
  list(end: string): Expression[] {
    const cursor = this.#cursor
    const found: Expression[] = []
    cursor.skipNewlines()
    while (!cursor.is(end)) {
      found.push(this.expression())
      cursor.skipNewlines()
      if (!cursor.take(',')) break
      cursor.skipNewlines()
    }
    cursor.need(end)
    return found
  }

  /** What `print` prints: in brackets around all of it, or without. */
  printed(): Expression[] {
    const before = this.#cursor.at
    if (this.#cursor.take('(')) {
      const values = this.list(')')
      if (this.#endsPrint) return values
      this.#cursor.at = before
    }
    this.#printing = true
    const values: Expression[] = []
    while (!this.#endsPrint) {
      values.push(this.expression())
      if (!this.#cursor.take(',')) break
      this.#cursor.skipNewlines()
    }
    this.#printing = false
    return values
  }

  /** Values beside each other are one text. */
  joined(): Expression {
    let left = this.#additive()
    while (this.#startsValue) left = { kind: 'binary', operator: ' ', left, right: this.#additive() }
    return left
  }

  get #endsPrint(): boolean {
    return this.#cursor.ends || this.#cursor.which(['>', '>>', '|']) !== undefined
  }

  #assignment(): Expression {
    const left = this.#choice()
    const token = this.#cursor.here
    if (token.kind !== 'sign' || !ASSIGNMENT.test(token.text) || !isPlace(left)) return left
    this.#cursor.at++
    this.#cursor.skipNewlines()
    return { kind: 'assign', operator: token.text.slice(0, -1), place: left, value: this.expression() }
  }

  #choice(): Expression {
    const cursor = this.#cursor
    const test = this.#level(0)
    if (!cursor.take('?')) return test
    cursor.skipNewlines()
    const yes = this.expression()
    cursor.skipNewlines()
    cursor.need(':')
    cursor.skipNewlines()
    return { kind: 'choice', test, yes, no: this.expression() }
  }

  #level(n: number): Expression {
    const operators = LEVELS[n]
    if (operators === undefined) return this.joined()
    let left = this.#level(n + 1)
    for (;;) {
      if (n === IN_LEVEL && this.#cursor.take('in')) {
        left = { kind: 'in', keys: [left], name: this.#cursor.name() }
        continue
      }
      const operator = operators.find((one) => this.#cursor.is(one) && !(this.#printing && one === '>'))
      if (operator === undefined) return left
      this.#cursor.at++
      if (n <= LAST_LEVEL_OVER_LINES) this.#cursor.skipNewlines()
      left = { kind: 'binary', operator, left, right: this.#level(n + 1) }
    }
  }

  get #startsValue(): boolean {
    const { kind } = this.#cursor.here
    return STARTS_OF_VALUES.has(kind) || (kind === 'sign' && this.#cursor.which(['$', '!', '(', '++', '--']) !== undefined)
  }

  #additive(): Expression {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/', '%'], () => this.#unary()))
  }

  /** Operators of one level, which are worked out from left to right. */
  #chain(operators: readonly string[], operand: () => Expression): Expression {
    let left = operand()
    for (let operator = this.#cursor.which(operators); operator !== undefined; operator = this.#cursor.which(operators)) {
      this.#cursor.at++
      left = { kind: 'binary', operator, left, right: operand() }
    }
    return left
  }

  #unary(): Expression {
    const operator = this.#cursor.which(['!', '-', '+'])
    if (operator === undefined) return this.#power()
    this.#cursor.at++
    return this.#cursor.nested(() => ({ kind: 'unary', operator, operand: this.#unary() }))
  }

  /** It is worked out from right to left: what follows may have a sign. */
  #power(): Expression {
    const left = this.#stepped()
    if (!this.#cursor.take('^') && !this.#cursor.take('**')) return left
    return this.#cursor.nested(() => ({ kind: 'binary', operator: '^', left, right: this.#unary() }))
  }

  #stepped(): Expression {
    const sign = this.#cursor.which(['++', '--'])
    if (sign !== undefined) {
      this.#cursor.at++
      const place = this.#primary()
      return isPlace(place) ? { kind: 'step', by: sign === '++' ? 1 : -1, before: true, place } : this.#cursor.fail()
    }
    const value = this.#primary()
    if (!isPlace(value)) return value
    if (this.#cursor.take('++')) return { kind: 'step', by: 1, before: false, place: value }
    if (this.#cursor.take('--')) return { kind: 'step', by: -1, before: false, place: value }
    return value
  }

  #primary(): Expression {
    const token = this.#cursor.here
    this.#cursor.at++
    switch (token.kind) {
      case 'number':
        return { kind: 'number', value: token.value }
      case 'string':
        return { kind: 'string', value: token.text }
      case 'regex':
        return { kind: 'regex', source: token.text }
      case 'name':
        return this.#named(token.text)
      case 'call':
        this.#cursor.need('(')
        return { kind: 'call', name: token.text, args: this.#outsidePrint(() => this.list(')')) }
      case 'sign':
        if (token.text === '$') return { kind: 'field', index: this.#cursor.nested(() => this.#stepped()) }
        if (token.text === '(') return this.#outsidePrint(() => this.#grouped())
        break
      case 'word':
        if (token.text === 'getline') return this.#getline()
    }
    this.#cursor.at--
    return this.#cursor.fail()
  }

  #named(name: string): Expression {
    if (this.#cursor.take('[')) return { kind: 'element', name, keys: this.list(']') }
    // `length` alone is that of the line.
    return name === 'length' ? { kind: 'call', name, args: [] } : { kind: 'variable', name }
  }

  #getline(): Expression {
    const place = this.#cursor.here.kind === 'name' || this.#cursor.is('$') ? this.#primary() : undefined
    const file = this.#cursor.take('<') ? this.#primary() : undefined
    return { kind: 'getline', place: place !== undefined && isPlace(place) ? place : undefined, file }
  }

  /** An expression in brackets, or the keys of `(i, j) in array`. What is in brackets cannot be assigned to. */
  #grouped(): Expression {
    const values = this.list(')')
    const [only] = values
    if (values.length > 1) {
      this.#cursor.need('in')
      return { kind: 'in', keys: values, name: this.#cursor.name() }
    }
    if (only === undefined) return this.#cursor.fail()
    return isPlace(only) ? { kind: 'unary', operator: '()', operand: only } : only
  }

  #outsidePrint<T>(read: () => T): T {
    const before = this.#printing
    this.#printing = false
    const value = read()
    this.#printing = before
    return value
  }
}
