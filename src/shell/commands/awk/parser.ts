import { ExpressionParser } from './expression-parser.ts'
import type { AwkFunction, AwkProgram, Expression, Rule, Statement } from './syntax.ts'
import { isText, TokenCursor } from './token-cursor.ts'

const LEAVING = ['break', 'continue', 'next', 'exit', 'return'] as const

/** @throws {Error} for what is no awk program */
export function parseAwk(source: string): AwkProgram {
  return new AwkParser(source).program()
}

/** Reads rules, functions and statements; expressions are read by their own parser. */
class AwkParser {
  readonly #cursor: TokenCursor
  readonly #expressions: ExpressionParser

  constructor(source: string) {
    this.#cursor = new TokenCursor(source)
    this.#expressions = new ExpressionParser(this.#cursor)
  }

  program(): AwkProgram {
    const rules: Rule[] = []
    const functions = new Map<string, AwkFunction>()
    this.#cursor.skipSeparators()
    while (this.#cursor.here.kind !== 'end') {
      if (this.#cursor.take('function')) functions.set(this.#cursor.name(), this.#function())
      else rules.push(this.#rule())
      this.#cursor.skipSeparators()
    }
    return { rules, functions }
  }

  #function(): AwkFunction {
    this.#cursor.need('(')
    const parameters = this.#expressions.list(')').map((p) => (p.kind === 'variable' ? p.name : this.#cursor.fail()))
    this.#cursor.skipNewlines()
    return { parameters, body: this.#block() }
  }

  #rule(): Rule {
    for (const when of ['BEGIN', 'END'] as const) if (this.#cursor.take(when)) return { when, body: this.#block() }
    const from = this.#cursor.is('{') ? undefined : this.#expressions.expression()
    const to = from !== undefined && this.#cursor.take(',') ? this.#expressions.expression() : undefined
    const when = from !== undefined && to !== undefined ? ([from, to] as const) : from
    return { when, body: this.#cursor.is('{') ? this.#block() : undefined }
  }

  #block(): Statement {
    this.#cursor.need('{')
    const body: Statement[] = []
    this.#cursor.skipSeparators()
    while (!this.#cursor.take('}')) {
      body.push(this.#statement())
      this.#cursor.skipSeparators()
    }
    return { kind: 'block', body }
  }

  #statement(): Statement {
    return this.#cursor.nested(() => {
      this.#cursor.skipNewlines()
      return this.#compound() ?? this.#leave() ?? this.#ended(this.#simple())
    })
  }

  /** What holds other statements; undefined: none comes next. */
  #compound(): Statement | undefined {
    const cursor = this.#cursor
    if (cursor.is('{')) return this.#block()
    if (cursor.take(';')) return { kind: 'block', body: [] }
    if (cursor.take('if')) return this.#if()
    if (cursor.take('while'))
      return { kind: 'loop', first: undefined, test: this.#condition(), step: undefined, body: this.#statement(), atEnd: false }
    if (cursor.take('do')) return this.#doLoop()
    return cursor.take('for') ? this.#forLoop() : undefined
  }

  #leave(): Statement | undefined {
    const how = LEAVING.find((word) => this.#cursor.take(word))
    if (how === undefined) return undefined
    const valued = (how === 'exit' || how === 'return') && !this.#cursor.ends
    return { kind: 'leave', how, value: valued ? this.#expressions.expression() : undefined }
  }

  #ended(statement: Statement): Statement {
    return this.#cursor.ends ? statement : this.#cursor.fail()
  }

  #simple(): Statement {
    if (this.#cursor.take('print')) return this.#print(false)
    if (this.#cursor.take('printf')) return this.#print(true)
    if (!this.#cursor.take('delete')) return { kind: 'expression', value: this.#expressions.expression() }
    const name = this.#cursor.name()
    return { kind: 'delete', name, keys: this.#cursor.take('[') ? this.#expressions.list(']') : undefined }
  }

  #print(format: boolean): Statement {
    const values = this.#expressions.printed()
    const append = this.#cursor.is('>>')
    const written = this.#cursor.take('>>') || this.#cursor.take('>')
    const to = written ? { append, file: this.#expressions.joined() } : undefined
    if (this.#cursor.is('|')) throw new Error('print to a command is not there in this awk')
    return { kind: 'print', format, values, to }
  }

  #condition(): Expression {
    this.#cursor.need('(')
    const test = this.#expressions.expression()
    this.#cursor.need(')')
    return test
  }

  #if(): Statement {
    const test = this.#condition()
    const yes = this.#statement()
    const before = this.#cursor.at
    this.#cursor.skipSeparators()
    if (this.#cursor.take('else')) return { kind: 'if', test, yes, no: this.#statement() }
    this.#cursor.at = before
    return { kind: 'if', test, yes, no: undefined }
  }

  #doLoop(): Statement {
    const body = this.#statement()
    this.#cursor.skipSeparators()
    this.#cursor.need('while')
    return { kind: 'loop', first: undefined, test: this.#condition(), step: undefined, body, atEnd: true }
  }

  #forLoop(): Statement {
    const cursor = this.#cursor
    cursor.need('(')
    const each = this.#forEach()
    if (each !== undefined) return each
    const first = cursor.is(';') ? undefined : this.#simple()
    cursor.need(';')
    const test = cursor.is(';') ? undefined : this.#expressions.expression()
    cursor.need(';')
    const step = cursor.is(')') ? undefined : this.#simple()
    cursor.need(')')
    return { kind: 'loop', first, test, step, body: this.#statement(), atEnd: false }
  }

  /** `for (KEY in ARRAY)`, which begins as another loop may begin. */
  #forEach(): Statement | undefined {
    const cursor = this.#cursor
    const [variable, word, name, end] = [0, 1, 2, 3].map((count) => cursor.ahead(count))
    if (variable?.kind !== 'name' || name?.kind !== 'name') return undefined
    if (word === undefined || !isText(word, 'in') || end === undefined || !isText(end, ')')) return undefined
    cursor.at += 4
    return { kind: 'each', variable: variable.text, name: name.text, body: this.#statement() }
  }
}
