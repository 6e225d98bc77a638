import { children, type Expr } from '../cel/ast.ts'
import { createEnvironment } from '../cel/environment.ts'
import { CelIssues } from '../cel/issues.ts'
import { KUBERNETES_LIBRARIES } from '../cel/kubernetes/libraries.ts'
import { compile, type Program } from '../cel/program.ts'
import { type CelType, optionalOf } from '../cel/types.ts'
import { CelError } from '../cel/values.ts'
import type { ValidationRule } from './schema-props.ts'

/** A compiled rule of `x-kubernetes-validations`, or its fault. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly program?: Program
  /** Why it cannot run. */
  readonly fault?: string
  readonly message?: Program
  readonly messageFault?: string
  readonly usesOldSelf: boolean
}

/** The environment of the rules of custom resources. */
export const RULE_ENVIRONMENT = createEnvironment(KUBERNETES_LIBRARIES)

/** Compiles one rule over values of a type. */
export function compileRule(rule: ValidationRule, self: CelType): CompiledRule {
  const oldSelf = rule.optionalOldSelf === true ? optionalOf(self) : self
  const variables = [
    { name: 'self', type: self },
    { name: 'oldSelf', type: oldSelf },
  ]
  const main = compiled(rule.rule, variables, 'bool')
  const usesOldSelf = main.program !== undefined && mentions(main.program.expr, 'oldSelf')
  const fault = main.fault
  const base = {
    rule,
    usesOldSelf,
    ...(main.program && fault === undefined && { program: main.program }),
    ...(fault !== undefined && { fault }),
  }
  if (rule.messageExpression === undefined || rule.messageExpression.trim() === '') return base
  const text = compiled(rule.messageExpression, usesOldSelf ? variables : variables.slice(0, 1), 'string')
  if (text.fault !== undefined)
    return { ...base, messageFault: text.fault.startsWith('messageExpression') ? text.fault : `messageExpression ${text.fault}` }
  return { ...base, ...(text.program && { message: text.program }) }
}

function compiled(
  source: string,
  variables: readonly { readonly name: string; readonly type: CelType }[],
  wanted: 'bool' | 'string',
): { readonly program?: Program; readonly fault?: string } {
  try {
    const program = compile(source, { env: RULE_ENVIRONMENT, variables })
    const { kind } = program.type
    if (kind !== wanted && kind !== 'dyn')
      return { fault: wanted === 'bool' ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string' }
    return { program }
  } catch (error) {
    if (error instanceof CelIssues) return { fault: `compilation failed: ${error.message}` }
    if (error instanceof CelError) return { fault: `program instantiation failed: ${error.message}` }
    throw error
  }
}

function mentions(e: Expr, name: string): boolean {
  if (e.kind === 'ident' && e.name === name) return true
  return children(e).some((below) => mentions(below, name))
}
