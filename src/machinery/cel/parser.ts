import { bool, call, children, type Expr, ident, literal, type MapEntry, type MessageField, memberCall, type Offset } from './ast.ts'
import { CelIssues, type Issue } from './issues.ts'
import { type Token, tokenize } from './lexer.ts'
import type { Macro } from './macros.ts'
import { codePointsOf } from './values.ts'

export interface ParseOptions {
  readonly macros: readonly Macro[]
  /** `a.?b`, `a[?b]`, `{?k: v}`. */
  readonly optionals: boolean
  /** a.`b-c`, which Kubernetes does not enable. Default false. */
  readonly quotedNames?: boolean
  /** Longer programs are refused. */
  readonly maxCodePoints?: number
}

/** Deeper programs are refused (cel-go's default). */
const MAX_DEPTH = 250

const TOO_DEEP = `expression recursion limit exceeded: ${MAX_DEPTH}`
/** Depth limit of the tree with expanded macros: its visitors recurse as deep. */
const MAX_TREE_DEPTH = 1500
/** Macros may use an argument twice, so trees can be far larger than programs. */
const MAX_TREE_SIZE = 1_000_000

/** True if a tree is within both limits. */
function isModest(root: Expr): boolean {
  const known = new Map<Expr, { readonly depth: number; readonly size: number }>()
  const measure = (e: Expr, above: number): { readonly depth: number; readonly size: number } | undefined => {
    const found = known.get(e)
    if (found !== undefined) return above + found.depth > MAX_TREE_DEPTH ? undefined : found
    if (above >= MAX_TREE_DEPTH) return undefined
    let depth = 0
    let size = 1
    for (const below of children(e)) {
      const part = measure(below, above + 1)
      if (part === undefined) return undefined
      depth = Math.max(depth, part.depth)
      size += part.size
    }
    const measured = { depth: depth + 1, size }
    known.set(e, measured)
    return size > MAX_TREE_SIZE ? undefined : measured
  }
  return measure(root, 0) !== undefined
}

/** Reserved words, which are not identifiers. */
const RESERVED = new Set('as break const continue else for function if import let loop package namespace return var void while'.split(' '))

/** Parses a program and expands its macros. Throws `CelIssues`. */
export function parse(source: string, options: ParseOptions): Expr {
  const max = options.maxCodePoints ?? 100_000
  const size = source.length > max ? codePointsOf(source) : 0
  if (size > max) throw new CelIssues(source, [{ at: 0, message: `expression code point size exceeds limit: size: ${size}, limit ${max}` }])
  const { tokens, issues } = tokenize(source)
  const parser = new Parser(tokens, [...issues], options)
  const expr = parser.program()
  if (parser.issues.length === 0 && !isModest(expr)) parser.issues.push({ at: 0, message: TOO_DEEP })
  if (parser.issues.length > 0)
    throw new CelIssues(
      source,
      parser.issues.toSorted((a, b) => a.at - b.at),
    )
  return expr
}

/** Thrown to the top by a syntax error: one is reported at a time. */
class Unwind extends Error {}

const OPENS = new Set(['(', '[', '{'])
const CLOSES = new Set([')', ']', '}'])
const RELATIONS = ['<', '<=', '>=', '>', '==', '!=', 'in']

/** Operators that follow an operand. */
const BINARY = [...RELATIONS, '+', '-', '*', '/', '%', '&&', '||', '?']
/** In the order in which ANTLR names tokens. */
const STARTS = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?']
const OPERAND_STARTS = new Set(['[', '{', '(', '.', '-', '!'])
const LITERALS = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER"
const OPERAND = expectedOperand()
const NAME = '{IDENTIFIER, ESC_IDENTIFIER}'

/** An operand, or one of `others`, as ANTLR says what it expects. */
function expectedOperand(others: readonly string[] = []): string {
  const ops = STARTS.filter((op) => OPERAND_STARTS.has(op) || others.includes(op)).map((op) => `'${op}'`)
  return `{${[...ops, LITERALS].join(', ')}}`
}

const isOp = (token: Token, ...texts: readonly string[]) => (token.kind === 'op' || token.kind === 'word') && texts.includes(token.text)

const startsOperand = (token: Token): boolean =>
  token.kind === 'literal' || token.kind === 'ident' || (token.kind === 'word' && token.text !== 'in') || isOp(token, ...OPERAND_STARTS)

const isName = ({ kind }: Token) => kind === 'ident' || kind === 'quoted'

const startsItem = (token: Token) => startsOperand(token) || isOp(token, '?')

const noViable = (before: string, { kind, text }: Token) =>
  `Syntax error: no viable alternative at input '${before}${kind === 'end' ? '' : text}'`

class Parser {
  readonly issues: Issue[]
  readonly #tokens: readonly Token[]
  readonly #options: ParseOptions
  readonly #macros: ReadonlyMap<string, Macro>
  #i = 0
  #depth = 0
  /** Number of open brackets. */
  #nesting = 0
  /** The next operand is missing, which is reported. */
  #missing = false

  constructor(tokens: readonly Token[], issues: Issue[], options: ParseOptions) {
    this.#tokens = tokens
    this.issues = issues
    this.#options = options
    this.#macros = new Map(options.macros.map((m) => [macroKey(m.name, m.member, m.args), m]))
  }

  program(): Expr {
    try {
      const expr = this.#expr()
      const next = this.#peek()
      if (next.kind !== 'end') {
        const word = this.#tokens[this.#i + 1]?.kind === 'end' ? 'extraneous' : 'mismatched'
        this.#fail(next.at, `Syntax error: ${word} input '${next.text}' expecting <EOF>`)
      }
      return expr
    } catch (error) {
      if (!(error instanceof Unwind)) throw error
      return bool(0, false)
    }
  }

  #peek(): Token {
    return this.#tokens[this.#i] ?? { kind: 'end', at: 0, text: '<EOF>' }
  }

  #is(text: string): boolean {
    const t = this.#peek()
    return (t.kind === 'op' || t.kind === 'word') && t.text === text
  }

  #accept(text: string): Token | undefined {
    if (!this.#is(text)) return undefined
    if (OPENS.has(text)) this.#nesting++
    else if (CLOSES.has(text)) this.#nesting--
    return this.#tokens[this.#i++]
  }

  /** Consumes an operator. Reported and repaired are one token too many, and a missing one where the next token may follow it. */
  #expect(text: string): Token {
    this.#skipOne(`'${text}'`, (after) => isOp(after, text))
    const token = this.#accept(text)
    if (token !== undefined) return token
    const next = this.#peek()
    if (!this.#mayFollow(text, next)) return this.#mismatched(`'${text}'`)
    if (CLOSES.has(text)) this.#nesting--
    this.#report(next.at, `missing '${text}' at '${next.text}'`)
    return next
  }

  /** Ends a list of items; one more comma may stand before the end. */
  #end(close: string, comma: boolean): void {
    if (!comma && !this.#is(close)) {
      const expecting = `{'${close}', ','}`
      this.#skipOne(expecting, (after) => isOp(after, close) || isOp(after, ','))
      if (!this.#is(close) && !this.#is(',')) this.#mismatched(expecting)
    }
    this.#expect(close)
  }

  #mayFollow(text: string, next: Token): boolean {
    if (!CLOSES.has(text)) return startsOperand(next)
    return next.kind === 'end' ? this.#nesting === 1 : isOp(next, ...BINARY, '.', '[')
  }

  /** Reports and skips a token that is none of the expected ones, if the one after it is. */
  #skipOne(expecting: string, expected: (token: Token) => boolean): void {
    const token = this.#peek()
    const after = this.#tokens[this.#i + 1]
    if (token.kind === 'end' || after === undefined || expected(token) || !expected(after)) return
    this.#report(token.at, `extraneous input '${token.text}' expecting ${expecting}`)
    this.#i++
  }

  /**
   * An operand, or one of `others`, comes next. False if a binary operator comes instead, which is reported: parsing continues behind a
   * missing operand.
   */
  #startsWith(...others: readonly string[]): boolean {
    const expected = (token: Token) => startsOperand(token) || isOp(token, ...others)
    const expecting = others.length === 0 ? OPERAND : expectedOperand(others)
    this.#skipOne(expecting, expected)
    const token = this.#peek()
    if (expected(token)) return true
    if (!isOp(token, ...BINARY)) this.#mismatched(expecting)
    this.#report(token.at, `mismatched input '${token.text}' expecting ${expecting}`)
    return false
  }

  #mismatched(expecting: string): never {
    const { at, text } = this.#peek()
    return this.#fail(at, `Syntax error: mismatched input '${text}' expecting ${expecting}`)
  }

  #report(at: Offset, message: string): void {
    this.issues.push({ at, message: `Syntax error: ${message}` })
  }

  #fail(at: Offset, message: string): never {
    this.issues.push({ at, message })
    throw new Unwind()
  }

  /** `begun` is false if its first operand is missing, and reported. */
  #expr(begun = true): Expr {
    if (++this.#depth > MAX_DEPTH) this.#fail(this.#peek().at, TOO_DEEP)
    this.#missing = !begun
    const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
    const op = this.#accept('?')
    let result = condition
    if (op !== undefined) {
      const yes = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
      this.#expect(':')
      result = call(op.at, '_?_:_', condition, yes, this.#expr())
    }
    this.#depth--
    return result
  }

  /** Chains of one logical operator become a balanced tree, so that long ones are not deep. */
  #logical(op: string, name: string, operand: () => Expr): Expr {
    const terms = [operand()]
    const ops: Offset[] = []
    for (let t = this.#accept(op); t !== undefined; t = this.#accept(op)) {
      ops.push(t.at)
      terms.push(operand())
    }
    const balance = (lo: number, hi: number): Expr => {
      const mid = (lo + hi + 1) >> 1
      const left = mid === lo ? terms[mid] : balance(lo, mid - 1)
      const right = mid === hi ? terms[mid + 1] : balance(mid + 1, hi)
      return call(ops[mid] ?? 0, name, left ?? bool(0, false), right ?? bool(0, false))
    }
    return ops.length === 0 ? (terms[0] ?? bool(0, false)) : balance(0, ops.length - 1)
  }

  #relation(): Expr {
    return this.#binary(
      RELATIONS,
      (op) => (op === 'in' ? '@in' : `_${op}_`),
      () =>
        this.#binary(
          ['+', '-'],
          (op) => `_${op}_`,
          () =>
            this.#binary(
              ['*', '/', '%'],
              (op) => `_${op}_`,
              () => this.#unary(),
            ),
        ),
    )
  }

  #binary(ops: readonly string[], name: (op: string) => string, operand: () => Expr): Expr {
    let left = operand()
    for (let links = 1; ; links++) {
      const t = this.#peek()
      if ((t.kind !== 'op' && t.kind !== 'word') || !ops.includes(t.text)) return left
      if (links > MAX_DEPTH) this.#fail(t.at, TOO_DEEP)
      this.#i++
      left = call(t.at, name(t.text), left, operand())
    }
  }

  #unary(): Expr {
    const missing = this.#missing || !this.#startsWith()
    this.#missing = false
    const first = this.#peek()
    if (missing) return bool(first.at, false)
    for (const [op, name] of [
      ['!', '!_'],
      ['-', '-_'],
    ] as const) {
      let count = 0
      while (this.#accept(op)) if (++count > MAX_DEPTH) this.#fail(first.at, TOO_DEEP)
      if (count === 0) continue
      const number = op === '-' && count % 2 === 1 ? this.#negative(first.at) : undefined
      if (number !== undefined) return this.#member(number)
      const operand = this.#member(op === '!' ? this.#signed() : this.#primary('-'))
      return count % 2 === 0 ? operand : call(first.at, name, operand)
    }
    return this.#member(this.#primary())
  }

  /** The number that follows a minus, which belongs to it, so that the smallest int can be written. */
  #negative(at: Offset): Expr | undefined {
    const next = this.#peek()
    if (next.kind !== 'literal' || (next.value.type !== 'int' && next.value.type !== 'double')) return undefined
    this.#i++
    if (next.value.type === 'double') return literal(at, { type: 'double', value: -next.value.value })
    if (next.value.value > 2n ** 63n) this.#fail(at, 'invalid int literal')
    return literal(at, { type: 'int', value: -next.value.value })
  }

  #signed(): Expr {
    const minus = this.#accept('-')
    return minus === undefined ? this.#primary('!') : (this.#negative(minus.at) ?? this.#primary('-'))
  }

  #member(start: Expr): Expr {
    let expr = start
    for (let links = 0; ; links++) {
      if (links > MAX_DEPTH) this.#fail(this.#peek().at, TOO_DEEP)
      const dot = this.#accept('.')
      if (dot !== undefined) {
        const optional = this.#options.optionals && this.#accept('?') !== undefined
        expr = this.#field(expr, dot.at, optional)
        continue
      }
      const open = this.#accept('[')
      if (open !== undefined) {
        const begun = this.#startsWith('?')
        const optional = this.#options.optionals && this.#accept('?') !== undefined
        const key = this.#expr(begun)
        this.#expect(']')
        expr = call(open.at, optional ? '_[?_]' : '_[_]', expr, key)
        continue
      }
      return expr
    }
  }

  #field(operand: Expr, at: Offset, optional: boolean): Expr {
    const name = this.#peek()
    if (optional) {
      if (!isName(name)) {
        this.#report(name.at, `mismatched input '${name.text}' expecting ${NAME}`)
        this.#fail(name.at, 'unsupported ident kind')
      }
    } else if (name.kind === 'word' && name.text !== 'in') this.#mismatched('IDENTIFIER')
    else if (!isName(name)) {
      if (!isOp(name, ...BINARY)) this.#fail(name.at, noViable('.', name))
      this.issues.push({ at: name.at, message: noViable('.', name) })
      return operand
    }
    this.#i++
    const field = this.#nameOf(name)
    if (optional) return call(at, '_?._', operand, literal(name.at, { type: 'string', value: field }))
    const open = name.kind === 'ident' ? this.#accept('(') : undefined
    if (open === undefined) return { kind: 'select', at, operand, field, test: false }
    const args = this.#arguments(')')
    return this.#expand(open.at, field, operand, args)
  }

  #arguments(close: string): Expr[] {
    const args: Expr[] = []
    const begun = this.#startsWith(close)
    if (this.#accept(close)) return args
    args.push(this.#expr(begun))
    while (this.#accept(',')) args.push(this.#expr())
    this.#expect(close)
    return args
  }

  #expand(at: Offset, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const macro =
      this.#macros.get(macroKey(name, target !== undefined, args.length)) ??
      this.#macros.get(macroKey(name, target !== undefined, undefined))
    if (macro !== undefined) {
      const fail = (where: Offset, message: string): never => this.#fail(where, message)
      const expanded = macro.expand({ at, target: target ?? bool(at, false), args, fail })
      if (expanded !== undefined) return expanded
    }
    return target === undefined ? call(at, name, ...args) : memberCall(at, name, target, ...args)
  }

  /** `before`: the operator before it, for messages. */
  #primary(before = ''): Expr {
    const t = this.#peek()
    if (t.kind === 'literal') {
      this.#i++
      if (t.value.type === 'int' && t.value.value > 2n ** 63n - 1n) this.#fail(t.at, 'invalid int literal')
      return literal(t.at, t.value)
    }
    if (t.kind === 'word' && t.text !== 'in') {
      this.#i++
      return literal(t.at, t.text === 'null' ? { type: 'null' } : { type: 'bool', value: t.text === 'true' })
    }
    if (this.#accept('(')) {
      const inner = this.#expr()
      this.#expect(')')
      return inner
    }
    if (this.#accept('[')) return this.#list(t.at)
    if (this.#accept('{')) return this.#map(t.at)
    const leading = this.#accept('.') !== undefined
    const name = this.#peek()
    if (name.kind === 'ident') return this.#name(name, leading)
    if (leading) return this.#fail(name.at, noViable('.', name))
    if (before === '!') this.#fail(name.at, `Syntax error: extraneous input '${name.text}' expecting ${OPERAND}`)
    if (before === '-') this.issues.push({ at: name.at, message: noViable('-', name) })
    return this.#mismatched(OPERAND)
  }

  #name(token: Token, leading: boolean): Expr {
    this.#i++
    const open = this.#accept('(')
    const name = (leading ? '.' : '') + token.text
    if (open !== undefined && RESERVED.has(token.text)) this.#fail(token.at, `reserved identifier: ${token.text}`)
    if (open !== undefined) return this.#expand(open.at, name, undefined, this.#arguments(')'))
    const message = this.#message(name)
    if (message !== undefined) return message
    if (RESERVED.has(token.text)) this.#fail(token.at, `reserved identifier: ${token.text}`)
    return ident(token.at, name)
  }

  /** `a.b.Name{field: value}`; undefined if no brace follows the name. */
  #message(first: string): Expr | undefined {
    let i = this.#i
    let type = first
    while (this.#tokens[i]?.text === '.' && this.#tokens[i]?.kind === 'op' && this.#tokens[i + 1]?.kind === 'ident') {
      type += `.${this.#tokens[i + 1]?.text}`
      i += 2
    }
    const brace = this.#tokens[i]
    if (brace?.kind !== 'op' || brace.text !== '{') return undefined
    this.#i = i + 1
    this.#nesting++
    const fields: MessageField[] = []
    const isField = (token: Token) => isName(token) || isOp(token, '?')
    const expecting = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"
    this.#skipOne(expecting, (token) => isField(token) || isOp(token, '}', ','))
    if (!isField(this.#peek()) && !this.#is('}') && !this.#is(',')) this.#mismatched(expecting)
    this.#items('}', isField, () => {
      const optional = this.#options.optionals && this.#accept('?') !== undefined
      const name = this.#peek()
      this.#requireName(name)
      this.#i++
      const colon = this.#expect(':')
      fields.push({ at: colon.at, name: this.#nameOf(name), value: this.#expr(), optional })
    })
    return { kind: 'message', at: brace.at, type, fields }
  }

  /** Items with commas between them, and one more that may stand alone or at the end; then the closing bracket. */
  #items(close: string, starts: (token: Token) => boolean, read: () => void): void {
    let comma = false
    for (let more = starts(this.#peek()); more; more = comma && starts(this.#peek())) {
      read()
      comma = this.#accept(',') !== undefined
    }
    this.#end(close, comma || this.#accept(',') !== undefined)
  }

  #requireName(token: Token): void {
    if (!isName(token)) this.#mismatched(NAME)
  }

  #nameOf({ kind, at, text }: Token): string {
    if (kind !== 'quoted') return text
    if (this.#options.quotedNames !== true) this.issues.push({ at, message: "unsupported syntax: '`'" })
    return text.slice(1, -1)
  }

  #list(at: Offset): Expr {
    const elements: Expr[] = []
    const optional = new Set<number>()
    this.#startsWith(']', ',', '?')
    this.#items(']', startsItem, () => {
      if (this.#options.optionals && this.#accept('?')) optional.add(elements.length)
      elements.push(this.#expr())
    })
    return { kind: 'list', at, elements, optional }
  }

  #map(at: Offset): Expr {
    const entries: MapEntry[] = []
    this.#startsWith('}', ',', '?')
    this.#items('}', startsItem, () => {
      const optional = this.#options.optionals && this.#accept('?') !== undefined
      const key = this.#expr()
      const colon = this.#expect(':')
      entries.push({ at: colon.at, key, value: this.#expr(), optional })
    })
    return { kind: 'map', at, entries }
  }
}

const macroKey = (name: string, member: boolean, args: number | undefined) => `${member ? '.' : ''}${name}/${args ?? '*'}`
