import type { FieldError } from '../../machinery/field-error.ts'

/** What an expression must be, and which variables it may use. */
export interface ExpressionContext {
  readonly result: 'bool' | 'string' | 'any' | 'patch' | 'configuration'
  readonly params: boolean
  readonly authorizer: boolean
  /** Of webhooks, not of policies: no `variables`. */
  readonly variables?: readonly { readonly name: string; readonly expression: string }[]
}

/** Checks one expression; the faults stand at `path`. */
export type ExpressionCheck = (expression: string, path: string, context: ExpressionContext) => readonly FieldError[]

/** The place where the compiler of expressions is asked. */
export const checkExpression: ExpressionCheck = () => []
