import type { Steps } from '../../../base/steps.ts'
import { configurationOf } from '../../../machinery/cel/admission/configuration.ts'
import { PER_REQUEST_BUDGET } from '../../../machinery/cel/cost-limits.ts'
import { celDynamic } from '../../../machinery/cel/schema/cel-value.ts'
import { toJson } from '../../../machinery/cel/to-json.ts'
import { CelError, isList, type Value } from '../../../machinery/cel/values.ts'
import { applyJsonPatch, decodeJsonPatch, PatchError } from '../../../machinery/json/json-patch.ts'
import { asJson, type Json, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import type { CompiledPolicy } from './compile-policy.ts'
import { Budget, BudgetError, evaluate, LazyVariables, type Pace, type Variables } from './evaluate.ts'
import { conditionsHold } from './match-conditions.ts'

/** A mutation failed. */
export class MutationError extends Error {
  override readonly name = 'MutationError'
}

/** The change of a mutation: an apply configuration, or a JSON patch. */
export type Change =
  | { readonly kind: 'configuration'; readonly configuration: JsonObject }
  | { readonly kind: 'patch'; readonly operations: Json }

/** The variables of a policy for one set of parameters. */
export const scopeOf = (policy: CompiledPolicy, request: Variables, params: KubeObject | undefined): Variables => {
  const variables = policy.spec.paramKind === undefined ? request : { ...request, params: celDynamic(params) }
  return policy.variables.size === 0 ? variables : new LazyVariables(policy.variables).within(variables)
}

/** Whether the policy's match conditions hold, by the variables of `scopeOf`. Throws `MutationError` if they cannot be evaluated. */
export function* wantsMutation(policy: CompiledPolicy, scope: Variables, pace: Pace): Steps<boolean> {
  const found = yield* conditionsHold(policy.conditions, { ...scope, namespaceObject: null }, pace)
  if (found.error === undefined) return found.holds
  if (policy.spec.failurePolicy === 'Ignore') return false
  throw new MutationError(found.error)
}

/** Evaluates one mutation of a policy. Throws `MutationError`, and `Suspended` while it waits for an authorization decision. */
export function planMutation(mutation: CompiledPolicy['mutations'][number], scope: Variables, pace: Pace): Change {
  try {
    const { value, error } = evaluate(mutation, scope, new Budget(PER_REQUEST_BUDGET, pace))
    if (error !== undefined) throw new MutationError(error)
    return mutation.type === 'JSONPatch'
      ? { kind: 'patch', operations: operationsOf(value) }
      : { kind: 'configuration', configuration: configurationOf(value) }
  } catch (error) {
    if (error instanceof CelError || error instanceof BudgetError) throw new MutationError(error.message)
    throw error
  }
}

/** `value: null` is a value; an operation without a value has no such field, nor has one without a source, or with an empty one. */
function operationsOf(value: Value): Json {
  const operation = (item: Value): JsonObject => {
    const { from, ...others } = toJson(item) as JsonObject
    return { op: '', path: '', ...others, ...(from !== '' && from !== undefined && { from }) }
  }
  try {
    return isList(value) ? value.map(operation) : toJson(value)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new MutationError(`JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`)
  }
}

/** The patched object; the same object if a `test` operation fails. Throws `MutationError`. */
export function patched(object: KubeObject, operations: Json): Json {
  try {
    return applyJsonPatch(asJson(object), decodeJsonPatch(operations))
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    if (error.code === 'test-failed') return asJson(object)
    throw new MutationError(`JSON Patch: ${error.message}`)
  }
}
