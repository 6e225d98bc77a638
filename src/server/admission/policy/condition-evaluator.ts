import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { LruMap } from '../../../base/collections/lru-map.ts'
import { type Compiled, compileExpression } from '../../../machinery/cel/admission/compile-expression.ts'
import { PER_CALL_LIMIT } from '../../../machinery/cel/cost-limits.ts'
import { CelError } from '../../../machinery/cel/values.ts'
import { type ActivationDeps, activation } from './activation.ts'
import { type BoundDeps, seenIn } from './bound-policies.ts'
import { untilAnswered, type Variables } from './evaluate.ts'

/** The most cached conditions; they come from webhook configurations, which are few. */
const MAX_COMPILED = 10_000

/**
 * Evaluates match conditions of webhooks on a request in a version. The function throws an Error with CEL's message if a condition fails.
 */
export function conditionEvaluator(
  deps: ActivationDeps & Pick<BoundDeps, 'definitions'>,
): (expression: string, request: AdmissionRequest, version: string) => Promise<boolean> {
  const known = new LruMap<string, Compiled>(MAX_COMPILED)
  const activations = new WeakMap<AdmissionRequest, { readonly object: unknown; readonly version: string; readonly variables: Variables }>()
  const compiled = (expression: string): Compiled => {
    let found = known.get(expression)
    if (found === undefined) {
      found = compileExpression(expression, 'bool', { params: false, authorizer: true })
      known.set(expression, found)
    }
    return found
  }
  const variablesOf = async (request: AdmissionRequest, version: string): Promise<Variables> => {
    const before = activations.get(request)
    if (before !== undefined && before.object === request.object && before.version === version) return before.variables
    const { object } = request
    const variables = { ...activation(await seenIn(version, request, deps), deps), namespaceObject: null }
    activations.set(request, { object, version, variables })
    return variables
  }
  return async (expression, request, version) => {
    const { program, fault } = compiled(expression)
    if (program === undefined) throw new CelError(`compilation error: ${fault}`)
    const variables = await variablesOf(request, version)
    return untilAnswered(() => program.run(variables, { spent: 0, limit: PER_CALL_LIMIT }) === true)
  }
}
