import { compileExpression, type ExpressionScope, variableType, type Wanted } from '../../machinery/cel/admission/compile-expression.ts'
import type { CelType } from '../../machinery/cel/types.ts'
import { type FieldError, internalFault, invalid } from '../../machinery/field-error.ts'

/** The required type of an expression, and its variables. */
export interface ExpressionContext extends ExpressionScope {
  readonly result: Wanted
}

/** Compiles an expression of a policy or a webhook; returns its faults. */
export function checkExpression(expression: string, path: string, { result, ...scope }: ExpressionContext): FieldError[] {
  const { fault } = compileExpression(expression, result, scope)
  if (fault === undefined) return []
  return [fault.startsWith('program instantiation failed') ? internalFault(path, fault) : invalid(path, expression, fault)]
}

/** The types of a policy's variables; each may use those before it. Variables without an expression are skipped. */
export function variableTypes(
  variables: readonly { readonly name?: string; readonly expression?: string }[],
  scope: ExpressionScope,
): ReadonlyMap<string, CelType> {
  const types = new Map<string, CelType>()
  for (const { name = '', expression = '' } of variables) {
    if (expression.trim() === '') continue
    types.set(name, variableType(compileExpression(expression, 'any', { ...scope, variables: types }).program))
  }
  return types
}
