/** What can be assigned to. */
export type LValue =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'field'; readonly index: Expression }
  | { readonly kind: 'element'; readonly name: string; readonly keys: readonly Expression[] }

export type Expression =
  | LValue
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'regex'; readonly source: string }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression }
  | { readonly kind: 'assign'; readonly operator: string; readonly place: LValue; readonly value: Expression }
  | { readonly kind: 'step'; readonly by: 1 | -1; readonly before: boolean; readonly place: LValue }
  | { readonly kind: 'choice'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: 'in'; readonly keys: readonly Expression[]; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'getline'; readonly place: LValue | undefined; readonly file: Expression | undefined }

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

export const isPlace = (value: Expression): value is LValue =>
  value.kind === 'variable' || value.kind === 'field' || value.kind === 'element'
