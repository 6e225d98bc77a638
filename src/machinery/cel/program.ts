import { type Expr, walk } from './ast.ts'
import { type Checked, check } from './checker.ts'
import type { Environment, Variable } from './environment.ts'
import { CelIssues, type Issue } from './issues.ts'
import { parse } from './parser.ts'
import { isConstantCall } from './plan/constants.ts'
import type { Meter } from './plan/meter.ts'
import { Planner } from './plan/planner.ts'
import type { CelType } from './types.ts'
import { validate } from './validate.ts'
import { CelError, type Value } from './values.ts'

/** A checked expression, ready to run many times. */
export interface Program {
  readonly expr: Expr
  readonly checked: Checked
  readonly type: CelType
  /** Throws `CelError` for evaluation errors, `CostError` if the meter's limit is exceeded. */
  run(variables: Readonly<Record<string, Value>>, meter?: Meter): Value
}

export interface CompileOptions {
  readonly env: Environment
  readonly variables: readonly Variable[]
  readonly maxCodePoints?: number
}

/** Parses, checks and compiles a program. Throws `CelIssues`, and `CelError` if a constant part of a valid program fails. */
export function compile(source: string, { env, variables, maxCodePoints }: CompileOptions): Program {
  const expr = parse(source, {
    macros: env.macros,
    optionals: env.functions.has('optional.of'),
    ...(maxCodePoints === undefined ? {} : { maxCodePoints }),
  })
  const checked = check(expr, env, variables)
  const issues = checked.issues.length > 0 ? checked.issues : [...literalIssues(expr, env), ...validate(expr, env, checked)]
  if (issues.length > 0)
    throw new CelIssues(
      source,
      issues.toSorted((a, b) => a.at - b.at),
    )
  checkConstants(expr, env, checked)
  return plan(expr, env, checked)
}

/** Compiles an expression that is checked already, or that runs unchecked. */
export function plan(expr: Expr, env: Environment, checked: Checked): Program {
  const code = new Planner(env, checked).plan(expr)
  return {
    expr,
    checked,
    type: checked.type,
    run(variables, meter = { spent: 0, limit: Number.POSITIVE_INFINITY }) {
      try {
        return code({ variables, locals: [], meter })
      } catch (error) {
        // Out of memory for a string or list, or a value nested too deeply.
        if (error instanceof RangeError) throw new CelError(error.message)
        throw error
      }
    },
  }
}

/** Evaluates calls of literals at compile time: their failures are compile errors. */
function checkConstants(expr: Expr, env: Environment, checked: Checked): void {
  walk(expr, (e) => {
    if (isConstantCall(e, env)) plan(e, env, checked).run({})
  })
}

function literalIssues(expr: Expr, env: Environment): Issue[] {
  const found: Issue[] = []
  walk(expr, (e) => {
    if (e.kind !== 'call') return
    const rule = Object.hasOwn(env.literalChecks, e.name) ? env.literalChecks[e.name] : undefined
    const arg = rule && (e.target === undefined ? e.args : [e.target, ...e.args])[rule.arg]
    if (rule === undefined || arg?.kind !== 'literal') return
    const { value } = arg
    if ((value.type === 'string' && !rule.check(value.value)) || (value.type === 'int' && rule.checkInt?.(value.value) === false))
      found.push({ at: arg.at, message: rule.complaint })
  })
  return found
}
