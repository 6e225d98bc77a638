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

const compiled = new WeakMap<AdmissionPolicy, CompiledPolicy>()

/** Compiles a policy on first use. Cached objects are immutable: a new version of a policy is a new object. */
export function compiledPolicy(policy: AdmissionPolicy): CompiledPolicy {
  let found = compiled.get(policy)
  if (found === undefined) {
    found = compilePolicy(policy)
    compiled.set(policy, found)
  }
  return found
}

function compilePolicy(policy: AdmissionPolicy): CompiledPolicy {
  const spec: PolicySpec = policy.spec ?? {}
  const base: ExpressionScope = { params: spec.paramKind !== undefined, authorizer: true }
  const variables = compileVariables(spec, base)
  const types: ReadonlyMap<string, CelType> = new Map([...variables].map(([name, e]) => [name, variableType(e.compiled.program)]))
  const scope = types.size === 0 ? base : { ...base, variables: types }
  const expression = (source: string, wanted: Wanted, more: Partial<ExpressionScope> = {}): Expression => ({
    source,
    compiled: compileExpression(source, wanted, { ...scope, ...more }),
  })
  return {
    name: policy.metadata.name ?? '',
    spec,
    variables,
    conditions: (spec.matchConditions ?? []).map((c) => expression(c.expression, 'bool')),
    validations: (spec.validations ?? []).map((validation) => ({
      ...expression(validation.expression, 'bool'),
      validation,
      message: validation.messageExpression ? expression(validation.messageExpression, 'string', { authorizer: false }) : undefined,
    })),
    annotations: (spec.auditAnnotations ?? []).map((a) => ({ ...expression(a.valueExpression, 'string-or-null'), key: a.key })),
    mutations: (spec.mutations ?? []).map((m) =>
      m.patchType === 'JSONPatch'
        ? { ...expression(m.jsonPatch?.expression ?? '', 'patch', { patches: true }), type: m.patchType }
        : { ...expression(m.applyConfiguration?.expression ?? '', 'configuration', { patches: true }), type: m.patchType },
    ),
  }
}

/** A variable can use those before it. */
function compileVariables(spec: PolicySpec, base: ExpressionScope): ReadonlyMap<string, Expression> {
  const out = new Map<string, Expression>()
  const types = new Map<string, CelType>()
  for (const { name, expression } of spec.variables ?? []) {
    const one = compileExpression(expression, 'any', { ...base, patches: spec.mutations !== undefined, variables: types })
    out.set(name, { source: expression, compiled: one })
    types.set(name, variableType(one.program))
  }
  return out
}
