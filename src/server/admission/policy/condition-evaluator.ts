import { type Compiled, compileExpression } from '../../../machinery/cel/admission/compile-expression.ts'
import { PER_CALL_LIMIT } from '../../../machinery/cel/cost-limits.ts'
import { CelError } from '../../../machinery/cel/values.ts'
import type { AdmissionRequest } from '../plugin.ts'
import { type ActivationDeps, activation } from './activation.ts'
import { untilAnswered, type Variables } from './evaluate.ts'

/** Conditions that are remembered; they come from configurations, which are few. */
const REMEMBERED = 10_000

/** Evaluates match conditions of webhooks. The function throws an Error with CEL's words for a condition that fails. */
export function conditionEvaluator(deps: ActivationDeps): (expression: string, request: AdmissionRequest) => Promise<boolean> {
  const known = new Map<string, Compiled>()
  const variables = new WeakMap<AdmissionRequest, { readonly object: unknown; readonly variables: Variables }>()
  const compiled = (expression: string): Compiled => {
    let found = known.get(expression)
    if (found === undefined) {
      found = compileExpression(expression, 'bool', { params: false, authorizer: true })
      if (known.size >= REMEMBERED) known.clear()
      known.set(expression, found)
    }
    return found
  }
  const variablesOf = (request: AdmissionRequest): Variables => {
    const before = variables.get(request)
    if (before !== undefined && before.object === request.object) return before.variables
    const { object, oldObject, resource, kind } = request
    const made = { ...activation({ request, version: resource.version, kind, object, oldObject }, deps), namespaceObject: null }
    variables.set(request, { object, variables: made })
    return made
  }
  return (expression, request) => {
    const { program, fault } = compiled(expression)
    if (program === undefined) throw new CelError(`compilation error: ${fault}`)
    const scope = variablesOf(request)
    return untilAnswered(() => program.run(scope, { spent: 0, limit: PER_CALL_LIMIT }) === true)
  }
}
