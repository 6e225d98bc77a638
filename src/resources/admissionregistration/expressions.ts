import {
  type Compiled,
  compileExpression,
  type ExpressionScope,
  variableType,
  type Wanted,
} from '../../machinery/cel/admission/compile-expression.ts'
import type { CelType } from '../../machinery/cel/types.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import { compileFault } from '../../machinery/validation/compile-fault.ts'
import { countWork } from '../../machinery/validation/faults-of-each.ts'

/** The required type of an expression, and its variables. */
export interface ExpressionContext extends ExpressionScope {
  readonly result: Wanted
}

/** Compiles an expression of a policy or a webhook; returns its faults. */
export function checkExpression(expression: string, path: string, { result, ...scope }: ExpressionContext): FieldError[] {
  return compiledFaults(compileExpression(expression, result, scope), expression, path)
}

/** A character takes about a microsecond to compile. */
function compiledFaults({ fault }: Compiled, expression: string, path: string): FieldError[] {
  countWork(expression.length)
  if (fault === undefined) return []
  return [compileFault(path, expression, fault)]
}

/** The faults of a policy's variable; `types` are those of the variables before it, and get its own. */
export function checkVariable(
  { name = '', expression = '' }: { readonly name?: string; readonly expression?: string },
  path: string,
  scope: ExpressionScope & { readonly variables: Map<string, CelType> },
): FieldError[] {
  const compiled = compileExpression(expression, 'any', scope)
  scope.variables.set(name, variableType(compiled.program))
  return compiledFaults(compiled, expression, path)
}
