/** The position of an expression: the offset in code points of its main token (an operator, an opening bracket, a name). */
export type Offset = number

/** The syntax tree of the Common Expression Language, with macros already expanded (cel-spec, `syntax.proto`). */
export type Expr =
  | { readonly kind: 'literal'; readonly at: Offset; readonly value: Literal }
  | { readonly kind: 'ident'; readonly at: Offset; readonly name: string }
  /** `operand.field`; `test` is `has(operand.field)`; `optional` is `operand.?field`. */
  | { readonly kind: 'select'; readonly at: Offset; readonly operand: Expr; readonly field: string; readonly test: boolean }
  | { readonly kind: 'call'; readonly at: Offset; readonly name: string; readonly target?: Expr; readonly args: readonly Expr[] }
  /** `optional` holds the indices of `?` elements. */
  | { readonly kind: 'list'; readonly at: Offset; readonly elements: readonly Expr[]; readonly optional: ReadonlySet<number> }
  | { readonly kind: 'map'; readonly at: Offset; readonly entries: readonly MapEntry[] }
  | { readonly kind: 'message'; readonly at: Offset; readonly type: string; readonly fields: readonly MessageField[] }
  | Fold

/** A loop over a list or map: the expansion of `all`, `exists`, `map` and similar macros. */
export interface Fold {
  readonly kind: 'fold'
  readonly at: Offset
  readonly range: Expr
  readonly iterVar: string
  /** Two-variable forms: `iterVar` is then the index or key, this the element or value. */
  readonly iterVar2?: string
  readonly accuVar: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

export interface MapEntry {
  readonly at: Offset
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

export interface MessageField {
  readonly at: Offset
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

export type Literal =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }

/** The accumulator's name; it cannot be written in a program. */
export const ACCUMULATOR = '@result'

export const literal = (at: Offset, value: Literal): Expr => ({ kind: 'literal', at, value })
export const bool = (at: Offset, value: boolean): Expr => literal(at, { type: 'bool', value })
export const int = (at: Offset, value: bigint): Expr => literal(at, { type: 'int', value })
export const ident = (at: Offset, name: string): Expr => ({ kind: 'ident', at, name })
export const call = (at: Offset, name: string, ...args: Expr[]): Expr => ({ kind: 'call', at, name, args })
export const memberCall = (at: Offset, name: string, target: Expr, ...args: Expr[]): Expr => ({ kind: 'call', at, name, target, args })
export const list = (at: Offset, ...elements: Expr[]): Expr => ({ kind: 'list', at, elements, optional: new Set() })

/** Visits an expression and everything below it. */
export function walk(expr: Expr, visit: (e: Expr) => void): void {
  visit(expr)
  for (const below of children(expr)) walk(below, visit)
}

export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return []
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'list':
      return expr.elements
    case 'map':
      return expr.entries.flatMap((e) => [e.key, e.value])
    case 'message':
      return expr.fields.map((f) => f.value)
    case 'fold':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result]
  }
}
