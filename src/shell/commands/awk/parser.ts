import { readTokens, type Token } from './lexer.ts'

export type Place =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'field'; readonly index: Expression }
  | { readonly kind: 'element'; readonly name: string; readonly keys: readonly Expression[] }

export type Expression =
  | Place
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'regex'; readonly source: string }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression }
  | { readonly kind: 'assign'; readonly operator: string; readonly place: Place; readonly value: Expression }
  | { readonly kind: 'step'; readonly by: 1 | -1; readonly before: boolean; readonly place: Place }
  | { readonly kind: 'choice'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: 'in'; readonly keys: readonly Expression[]; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'getline'; readonly place: Place | undefined; readonly file: Expression | undefined }

export type Statement =
  | { readonly kind: 'expression'; readonly value: Expression }
  | {
      readonly kind: 'print'
      readonly format: boolean
      readonly values: readonly Expression[]
      readonly to: { readonly append: boolean; readonly file: Expression } | undefined
    }
  | { readonly kind: 'if'; readonly test: Expression; readonly yes: Statement; readonly no: Statement | undefined }
  | {
      readonly kind: 'loop'
      readonly first: Statement | undefined
      readonly test: Expression | undefined
      readonly step: Statement | undefined
      readonly body: Statement
      readonly atEnd: boolean
    }
  | { readonly kind: 'each'; readonly variable: string; readonly name: string; readonly body: Statement }
  | { readonly kind: 'block'; readonly body: readonly Statement[] }
  | { readonly kind: 'delete'; readonly name: string; readonly keys: readonly Expression[] | undefined }
  | { readonly kind: 'leave'; readonly how: 'break' | 'continue' | 'next' | 'exit' | 'return'; readonly value: Expression | undefined }

export interface Rule {
  readonly when: 'BEGIN' | 'END' | Expression | readonly [Expression, Expression] | undefined
  readonly body: Statement | undefined
}

export interface AwkFunction {
  readonly parameters: readonly string[]
  readonly body: Statement
}

export interface AwkProgram {
  readonly rules: readonly Rule[]
  readonly functions: ReadonlyMap<string, AwkFunction>
}

const DEEPEST = 200
/** From the loosest to the tightest. */
const LEVELS: readonly (readonly string[])[] = [['||'], ['&&'], ['~', '!~'], ['<', '<=', '==', '!=', '>', '>=']]

/** @throws {Error} for what is no awk program */
export function parseAwk(source: string): AwkProgram {
  const tokens = readTokens(source)
  let at = 0
  let depth = 0
  /** Inside of `print` a `>` writes to a file. */
  let printing = false
  const here = (): Token => tokens[at] ?? { kind: 'end' }
  const textOf = (token: Token) => ('text' in token ? token.text : token.kind === 'number' ? String(token.value) : token.kind)
  const fail = (): never => {
    throw new Error(`syntax error at or near ${textOf(here())}`)
  }
  const is = (text: string) => {
    const token = here()
    return (token.kind === 'sign' || token.kind === 'word') && token.text === text
  }
  const take = (text: string) => is(text) && Boolean(++at)
  const need = (text: string) => void (take(text) || fail())
  const skip = (semicolons = false) => {
    while (here().kind === 'newline' || (semicolons && is(';'))) at++
  }
  const nameHere = (): string => {
    const token = here()
    if (token.kind !== 'name' && token.kind !== 'call') return fail()
    at++
    return token.text
  }

  function nested<T>(read: () => T): T {
    if (++depth > DEEPEST) throw new Error('syntax error: too deep')
    const value = read()
    depth--
    return value
  }

  function list(end: string): Expression[] {
    const found: Expression[] = []
    skip()
    while (!is(end)) {
      found.push(expression())
      skip()
      if (!take(',')) break
      skip()
    }
    need(end)
    return found
  }

  const expression = (): Expression => nested(assignment)

  function assignment(): Expression {
    const left = choice()
    const token = here()
    if (token.kind === 'sign' && /^(\*\*|[-+*/%^])?=$/.test(token.text) && isPlace(left)) {
      at++
      skip()
      return { kind: 'assign', operator: token.text.slice(0, -1), place: left, value: expression() }
    }
    return left
  }

  function choice(): Expression {
    const test = level(0)
    if (!take('?')) return test
    skip()
    const yes = expression()
    skip()
    need(':')
    skip()
    return { kind: 'choice', test, yes, no: expression() }
  }

  function level(n: number): Expression {
    const operators = LEVELS[n]
    if (operators === undefined) return joined()
    let left = level(n + 1)
    for (;;) {
      if (n === 2 && is('in')) {
        at++
        left = { kind: 'in', keys: [left], name: nameHere() }
        continue
      }
      const operator = operators.find((o) => is(o) && !(printing && o === '>'))
      if (operator === undefined) return left
      at++
      if (n < 2) skip()
      left = { kind: 'binary', operator, left, right: level(n + 1) }
    }
  }

  /** Values beside each other are one text. */
  function joined(): Expression {
    let left = additive()
    while (startsValue()) left = { kind: 'binary', operator: ' ', left, right: additive() }
    return left
  }

  function startsValue(): boolean {
    const token = here()
    if (token.kind === 'sign')
      return ['$', '!', '(', '-', '+', '++', '--'].includes(token.text) && !(token.text === '-' || token.text === '+')
    return token.kind === 'number' || token.kind === 'string' || token.kind === 'name' || token.kind === 'call' || token.kind === 'regex'
  }

  function additive(): Expression {
    let left = multiplied()
    for (let operator = ['+', '-'].find(is); operator !== undefined; operator = ['+', '-'].find(is)) {
      at++
      left = { kind: 'binary', operator, left, right: multiplied() }
    }
    return left
  }

  function multiplied(): Expression {
    let left = unary()
    for (let operator = ['*', '/', '%'].find(is); operator !== undefined; operator = ['*', '/', '%'].find(is)) {
      at++
      left = { kind: 'binary', operator, left, right: unary() }
    }
    return left
  }

  function unary(): Expression {
    const operator = ['!', '-', '+'].find(is)
    if (operator === undefined) return power()
    at++
    return nested(() => ({ kind: 'unary', operator, operand: unary() }))
  }

  function power(): Expression {
    const left = stepped()
    if (!take('^') && !take('**')) return left
    return nested(() => ({ kind: 'binary', operator: '^', left, right: unary() }))
  }

  function stepped(): Expression {
    const sign = ['++', '--'].find(is)
    if (sign !== undefined) {
      at++
      const place = primary()
      return isPlace(place) ? { kind: 'step', by: sign === '++' ? 1 : -1, before: true, place } : fail()
    }
    const value = primary()
    if (!isPlace(value)) return value
    if (take('++')) return { kind: 'step', by: 1, before: false, place: value }
    if (take('--')) return { kind: 'step', by: -1, before: false, place: value }
    return value
  }

  function primary(): Expression {
    const token = here()
    at++
    switch (token.kind) {
      case 'number':
        return { kind: 'number', value: token.value }
      case 'string':
        return { kind: 'string', value: token.text }
      case 'regex':
        return { kind: 'regex', source: token.text }
      case 'name':
        if (take('[')) return { kind: 'element', name: token.text, keys: list(']') }
        // `length` alone is that of the line.
        return token.text === 'length' ? { kind: 'call', name: 'length', args: [] } : { kind: 'variable', name: token.text }
      case 'call':
        need('(')
        return { kind: 'call', name: token.text, args: outsidePrint(() => list(')')) }
      case 'sign':
        if (token.text === '$') return { kind: 'field', index: nested(stepped) }
        if (token.text === '(') return outsidePrint(grouped)
        break
      case 'word':
        if (token.text === 'getline') {
          const place = here().kind === 'name' || is('$') ? primary() : undefined
          const file = take('<') ? primary() : undefined
          return { kind: 'getline', place: place !== undefined && isPlace(place) ? place : undefined, file }
        }
    }
    at--
    return fail()
  }

  function outsidePrint<T>(read: () => T): T {
    const before = printing
    printing = false
    const value = read()
    printing = before
    return value
  }

  function grouped(): Expression {
    const values = list(')')
    const [only] = values
    if (values.length > 1) {
      need('in')
      return { kind: 'in', keys: values, name: nameHere() }
    }
    return only === undefined ? fail() : only.kind === 'variable' || isPlace(only) ? { kind: 'unary', operator: '()', operand: only } : only
  }

  function simple(): Statement {
    if (is('print') || is('printf')) {
      const format = is('printf')
      at++
      printing = true
      const values = printed()
      printing = false
      const append = is('>>')
      const written = take('>>') || take('>')
      const to = written ? { append, file: joined() } : undefined
      if (is('|')) throw new Error('print to a command is not there in this awk')
      return { kind: 'print', format, values, to }
    }
    if (take('delete')) {
      const name = nameHere()
      return { kind: 'delete', name, keys: take('[') ? list(']') : undefined }
    }
    return { kind: 'expression', value: expression() }
  }

  /** With brackets around all of them, or without. */
  function printed(): Expression[] {
    if (is('(')) {
      const before = at
      at++
      const values = outsidePrint(() => list(')'))
      if (ends() || is('>') || is('>>') || is('|')) return values
      at = before
    }
    const values: Expression[] = []
    while (!ends() && !is('>') && !is('>>') && !is('|')) {
      values.push(expression())
      if (!take(',')) break
      skip()
    }
    return values
  }

  const ends = () => here().kind === 'newline' || here().kind === 'end' || is(';') || is('}')

  function block(): Statement {
    need('{')
    const body: Statement[] = []
    skip(true)
    while (!take('}')) {
      body.push(statement())
      skip(true)
    }
    return { kind: 'block', body }
  }

  const statement = (): Statement => nested(oneStatement)

  function oneStatement(): Statement {
    skip()
    if (is('{')) return block()
    if (take(';')) return { kind: 'block', body: [] }
    if (take('if')) {
      need('(')
      const test = expression()
      need(')')
      const yes = statement()
      const before = at
      skip(true)
      if (take('else')) return { kind: 'if', test, yes, no: statement() }
      at = before
      return { kind: 'if', test, yes, no: undefined }
    }
    if (take('while')) {
      need('(')
      const test = expression()
      need(')')
      return { kind: 'loop', first: undefined, test, step: undefined, body: statement(), atEnd: false }
    }
    if (take('do')) {
      const body = statement()
      skip(true)
      need('while')
      need('(')
      const test = expression()
      need(')')
      return { kind: 'loop', first: undefined, test, step: undefined, body, atEnd: true }
    }
    if (take('for')) return forLoop()
    for (const how of ['break', 'continue', 'next', 'exit', 'return'] as const)
      if (take(how)) return { kind: 'leave', how, value: (how === 'exit' || how === 'return') && !ends() ? expression() : undefined }
    const found = simple()
    if (!ends()) fail()
    return found
  }

  function forLoop(): Statement {
    need('(')
    const [one, two, three, four] = tokens.slice(at, at + 4)
    if (
      one?.kind === 'name' &&
      two?.kind === 'word' &&
      two.text === 'in' &&
      three?.kind === 'name' &&
      four?.kind === 'sign' &&
      four.text === ')'
    ) {
      at += 4
      return { kind: 'each', variable: one.text, name: three.text, body: statement() }
    }
    const first = is(';') ? undefined : simple()
    need(';')
    const test = is(';') ? undefined : expression()
    need(';')
    const step = is(')') ? undefined : simple()
    need(')')
    return { kind: 'loop', first, test, step, body: statement(), atEnd: false }
  }

  const rules: Rule[] = []
  const functions = new Map<string, AwkFunction>()
  skip(true)
  while (here().kind !== 'end') {
    if (take('function')) {
      const name = nameHere()
      need('(')
      const parameters = list(')').map((p) => (p.kind === 'variable' ? p.name : fail()))
      skip()
      functions.set(name, { parameters, body: block() })
    } else if (take('BEGIN')) rules.push({ when: 'BEGIN', body: block() })
    else if (take('END')) rules.push({ when: 'END', body: block() })
    else {
      const from = is('{') ? undefined : expression()
      const to = from !== undefined && take(',') ? expression() : undefined
      const when = from !== undefined && to !== undefined ? ([from, to] as const) : from
      rules.push({ when, body: is('{') ? block() : undefined })
    }
    skip(true)
  }
  return { rules, functions }
}

export const isPlace = (value: Expression): value is Place =>
  value.kind === 'variable' || value.kind === 'field' || value.kind === 'element'
