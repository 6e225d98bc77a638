import { type Later, type Pace, type Steps, soonOrInTurns } from '../../../base/steps.ts'
import {
  type Compiled,
  compileExpression,
  type ExpressionScope,
  variableType,
  type Wanted,
} from '../../../machinery/cel/admission/compile-expression.ts'
import type { CelType } from '../../../machinery/cel/types.ts'
import type { Mutation, Validation } from '../../../resources/types/admissionregistration.ts'
import type { AdmissionPolicy, PolicySpec } from './policy-types.ts'

/** An expression of a policy with its program, or its compile error. */
export interface Expression {
  readonly source: string
  readonly compiled: Compiled
}

/** A policy whose expressions are compiled. */
export interface CompiledPolicy {
  readonly name: string
  readonly spec: PolicySpec
  readonly variables: ReadonlyMap<string, Expression>
  readonly conditions: readonly Expression[]
  readonly validations: readonly (Expression & { readonly validation: Validation; readonly message: Expression | undefined })[]
  readonly annotations: readonly (Expression & { readonly key: string })[]
  readonly mutations: readonly (Expression & { readonly type: Mutation['patchType'] })[]
}

const compiled = new WeakMap<AdmissionPolicy, Later<CompiledPolicy>>()

/**
 * Compiles a policy on first use, in turns if it is long, or if others were compiled before it at the same `pace`. Cached objects are
 * immutable: a new version of a policy is a new object.
 */
export function compiledPolicy(policy: AdmissionPolicy, pace: Pace): Later<CompiledPolicy> {
  let found = compiled.get(policy)
  if (found === undefined) {
    found = soonOrInTurns(compilePolicy(policy, pace))
    compiled.set(policy, found)
  }
  return found
}

function* compilePolicy(policy: AdmissionPolicy, pace: Pace): Steps<CompiledPolicy> {
  const spec: PolicySpec = policy.spec ?? {}
  const base: ExpressionScope = { params: spec.paramKind !== undefined, authorizer: true }
  const variables = yield* compileVariables(spec, base, pace)
  const types: ReadonlyMap<string, CelType> = new Map([...variables].map(([name, e]) => [name, variableType(e.compiled.program)]))
  const scope = types.size === 0 ? base : { ...base, variables: types }
  function* expression(source: string, wanted: Wanted, more: Partial<ExpressionScope> = {}): Steps<Expression> {
    if (pace.due(source.length)) yield
    return { source, compiled: compileExpression(source, wanted, { ...scope, ...more }) }
  }
  return {
    name: policy.metadata.name ?? '',
    spec,
    variables,
    conditions: yield* inSteps(spec.matchConditions, (c) => expression(c.expression, 'bool')),
    validations: yield* inSteps(spec.validations, function* (validation) {
      const own = yield* expression(validation.expression, 'bool')
      const { messageExpression: text } = validation
      return { ...own, validation, message: text ? yield* expression(text, 'string', { authorizer: false }) : undefined }
    }),
    annotations: yield* inSteps(spec.auditAnnotations, function* (a) {
      return { ...(yield* expression(a.valueExpression, 'string-or-null')), key: a.key }
    }),
    mutations: yield* inSteps(spec.mutations, function* ({ patchType: type, jsonPatch, applyConfiguration }) {
      const own =
        type === 'JSONPatch'
          ? yield* expression(jsonPatch?.expression ?? '', 'patch', { patches: true })
          : yield* expression(applyConfiguration?.expression ?? '', 'configuration', { patches: true })
      return { ...own, type }
    }),
  }
}

function* inSteps<T, R>(items: readonly T[] | undefined, compile: (item: T) => Steps<R>): Steps<R[]> {
  const out: R[] = []
  for (const item of items ?? []) out.push(yield* compile(item))
  return out
}

/** A variable can use those before it. */
function* compileVariables(spec: PolicySpec, base: ExpressionScope, pace: Pace): Steps<ReadonlyMap<string, Expression>> {
  const out = new Map<string, Expression>()
  const types = new Map<string, CelType>()
  for (const { name, expression } of spec.variables ?? []) {
    if (pace.due(expression.length)) yield
    const one = compileExpression(expression, 'any', { ...base, patches: spec.mutations !== undefined, variables: types })
    out.set(name, { source: expression, compiled: one })
    types.set(name, variableType(one.program))
  }
  return out
}
