import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { LruMap } from '../../../base/collections/lru-map.ts'
import { compileExpression } from '../../../machinery/cel/admission/compile-expression.ts'
import { type ActivationDeps, activation } from './activation.ts'
import { type BoundDeps, seenIn } from './bound-policies.ts'
import type { Expression } from './compile-policy.ts'
import { inTurnsUntilAnswered, type Pace, type Variables } from './evaluate.ts'
import { type Conditions, conditionsHold } from './match-conditions.ts'

/** The most cached conditions; they come from webhook configurations, which are few. */
const MAX_COMPILED = 10_000
/** Compiling a character takes as long as so much of the cost of an expression. */
const UNITS_OF_CHARACTER = 10

/** Evaluates the match conditions of a webhook on a request in a version. `pace` counts the cost of all webhooks of the request. */
export type ConditionEvaluator = (
  conditions: readonly { readonly expression: string }[],
  on: { readonly request: AdmissionRequest; readonly version: string; readonly pace: Pace },
) => Promise<Conditions>

export function conditionEvaluator(deps: ActivationDeps & Pick<BoundDeps, 'definitions'>): ConditionEvaluator {
  const known = new LruMap<string, Expression>(MAX_COMPILED)
  const activations = new WeakMap<AdmissionRequest, { readonly object: unknown; readonly version: string; readonly variables: Variables }>()
  const compiled = (source: string, pace: Pace): Expression => {
    let found = known.get(source)
    if (found === undefined) {
      pace.work(source.length * UNITS_OF_CHARACTER)
      found = { source, compiled: compileExpression(source, 'bool', { params: false, authorizer: true }) }
      known.set(source, found)
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
  return async (conditions, { request, version, pace }) => {
    const variables = await variablesOf(request, version)
    return inTurnsUntilAnswered(function* () {
      const expressions: Expression[] = []
      for (const { expression } of conditions) {
        if (pace.isDue) yield
        expressions.push(compiled(expression, pace))
      }
      return yield* conditionsHold(expressions, variables, pace)
    })
  }
}
