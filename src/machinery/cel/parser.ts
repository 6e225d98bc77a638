import { bool, call, children, type Expr, ident, literal, type MapEntry, type MessageField, memberCall, type Offset } from './ast.ts'
import { CelIssues, type Issue } from './issues.ts'
import { type Token, tokenize } from './lexer.ts'
import type { Macro } from './macros.ts'
import { codePointsOf } from './values.ts'

export interface ParseOptions {
  readonly macros: readonly Macro[]
  /** `a.?b`, `a[?b]`, `{?k: v}`. */
  readonly optionals: boolean
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

const OPERAND = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

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

class Parser {
  readonly issues: Issue[]
  readonly #tokens: readonly Token[]
  readonly #options: ParseOptions
  readonly #macros: ReadonlyMap<string, Macro>
  #i = 0
  #depth = 0
  /** Number of open brackets. */
  #nesting = 0

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

  #expect(text: string, expecting = `'${text}'`): Token {
    const token = this.#accept(text)
    if (token !== undefined) return token
    const { at, text: found } = this.#peek()
    return this.#fail(at, `Syntax error: mismatched input '${found}' expecting ${expecting}`)
  }

  /** Consumes a closing bracket. At the end of the text, the innermost missing one is reported and assumed. */
  #close(text: string): void {
    const { at, kind } = this.#peek()
    if (kind !== 'end' || this.#nesting !== 1) this.#expect(text)
    else {
      this.#nesting--
      this.issues.push({ at, message: `Syntax error: missing '${text}' at '<EOF>'` })
    }
  }

  #fail(at: Offset, message: string): never {
    this.issues.push({ at, message })
    throw new Unwind()
  }

  #expr(): Expr {
    if (++this.#depth > MAX_DEPTH) this.#fail(this.#peek().at, TOO_DEEP)
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
    const first = this.#peek()
    for (const [op, name] of [
      ['!', '!_'],
      ['-', '-_'],
    ] as const) {
      let count = 0
      while (this.#accept(op)) if (++count > MAX_DEPTH) this.#fail(first.at, TOO_DEEP)
      if (count === 0) continue
      const next = this.#peek()
      // A minus belongs to the following number, so that the smallest int can be written.
      if (op === '-' && count % 2 === 1 && next.kind === 'literal' && (next.value.type === 'int' || next.value.type === 'double')) {
        this.#i++
        const v = next.value
        const value = v.type === 'int' ? { type: 'int' as const, value: -v.value } : { type: 'double' as const, value: -v.value }
        if (value.type === 'int' && value.value < -(2n ** 63n)) this.#fail(first.at, 'invalid int literal')
        return this.#member(literal(first.at, value))
      }
      const operand = this.#member(this.#primary())
      return count % 2 === 0 ? operand : call(first.at, name, operand)
    }
    return this.#member(this.#primary())
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
        const optional = this.#options.optionals && this.#accept('?') !== undefined
        const key = this.#expr()
        this.#close(']')
        expr = call(open.at, optional ? '_[?_]' : '_[_]', expr, key)
        continue
      }
      return expr
    }
  }

  #field(operand: Expr, at: Offset, optional: boolean): Expr {
    const name = this.#peek()
    if (name.kind !== 'ident' && name.kind !== 'quoted')
      this.#fail(name.at, `Syntax error: no viable alternative at input '.${name.text === '<EOF>' ? '' : name.text}'`)
    this.#i++
    if (optional) return call(at, '_?._', operand, literal(name.at, { type: 'string', value: name.text }))
    const open = name.kind === 'ident' ? this.#accept('(') : undefined
    if (open === undefined) return { kind: 'select', at, operand, field: name.text, test: false }
    const args = this.#arguments(')')
    return this.#expand(open.at, name.text, operand, args)
  }

  #arguments(close: string): Expr[] {
    const args: Expr[] = []
    if (this.#accept(close)) return args
    do args.push(this.#expr())
    while (this.#accept(','))
    this.#close(close)
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

  #primary(): Expr {
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
      this.#close(')')
      return inner
    }
    if (this.#accept('[')) return this.#list(t.at)
    if (this.#accept('{')) return this.#map(t.at)
    const leading = this.#accept('.') !== undefined
    const name = this.#peek()
    if (name.kind === 'ident') return this.#name(name, leading)
    return this.#noOperand()
  }

  #noOperand(): never {
    const t = this.#peek()
    const after = this.#tokens[this.#i + 1]
    const starts =
      after !== undefined &&
      (after.kind === 'literal' || after.kind === 'ident' || ['(', '[', '{', '.', '-', '!', 'true', 'false', 'null'].includes(after.text))
    return this.#fail(
      t.at,
      `Syntax error: ${t.kind !== 'end' && starts ? 'extraneous' : 'mismatched'} input '${t.text}' expecting ${OPERAND}`,
    )
  }

  #name(token: Token, leading: boolean): Expr {
    this.#i++
    const open = this.#accept('(')
    const name = (leading ? '.' : '') + token.text
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
    while (!this.#is('}')) {
      const optional = this.#options.optionals && this.#accept('?') !== undefined
      const name = this.#peek()
      if (name.kind !== 'ident' && name.kind !== 'quoted')
        this.#fail(name.at, `Syntax error: mismatched input '${name.text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`)
      this.#i++
      const colon = this.#expect(':')
      fields.push({ at: colon.at, name: name.text, value: this.#expr(), optional })
      if (!this.#accept(',')) break
    }
    this.#expect('}')
    return { kind: 'message', at: brace.at, type, fields }
  }

  #list(at: Offset): Expr {
    const elements: Expr[] = []
    const optional = new Set<number>()
    let comma = false
    while (!this.#is(']') && !(comma && this.#peek().kind === 'end')) {
      if (this.#options.optionals && this.#accept('?')) optional.add(elements.length)
      elements.push(this.#expr())
      comma = this.#accept(',') !== undefined
      if (!comma) break
    }
    if (comma) this.#close(']')
    else this.#expect(']')
    return { kind: 'list', at, elements, optional }
  }

  #map(at: Offset): Expr {
    const entries: MapEntry[] = []
    while (!this.#is('}')) {
      const optional = this.#options.optionals && this.#accept('?') !== undefined
      const key = this.#expr()
      const colon = this.#expect(':')
      entries.push({ at: colon.at, key, value: this.#expr(), optional })
      if (!this.#accept(',')) break
    }
    this.#expect('}')
    return { kind: 'map', at, entries }
  }
}

const macroKey = (name: string, member: boolean, args: number | undefined) => `${member ? '.' : ''}${name}/${args ?? '*'}`
