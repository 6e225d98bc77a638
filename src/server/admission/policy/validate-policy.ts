import type { Steps } from '../../../base/steps.ts'
import { PER_REQUEST_BUDGET } from '../../../machinery/cel/cost-limits.ts'
import { celDynamic } from '../../../machinery/cel/schema/cel-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { CompiledPolicy } from './compile-policy.ts'
import { Budget, BudgetError, type EvaluationResult, evaluate, LazyVariables, type Pace, type Variables } from './evaluate.ts'
import { conditionsHold } from './match-conditions.ts'

/** A validation that failed or could not be evaluated. */
export interface Failure {
  /** The index of the validation; 0 if the policy as a whole failed. */
  readonly index: number
  readonly message: string
  /** Undefined: the default reason. */
  readonly reason?: string
}

export interface Validated {
  readonly failures: readonly Failure[]
  /** Audit annotations, or their errors. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[]
  readonly annotationErrors: readonly string[]
}

const MESSAGE_BYTES = 5 * 1024
const PASSED: Validated = { failures: [], annotations: [], annotationErrors: [] }

/**
 * Applies a validating policy to a request with one set of parameters, in steps. Throws `Suspended` while it waits for an authorization
 * decision.
 */
export function* validatePolicy(policy: CompiledPolicy, request: Variables, params: KubeObject | undefined, pace: Pace): Steps<Validated> {
  const fails = policy.spec.failurePolicy !== 'Ignore'
  const variables: Variables = policy.spec.paramKind === undefined ? request : { ...request, params: celDynamic(params) }
  const within = (scope: Variables) => (policy.variables.size === 0 ? scope : new LazyVariables(policy.variables).within(scope))
  const scoped = () => within(variables)
  // Messages and annotations have no authorizer, also in the variables that they use.
  const unauthorized = () => within(withoutAuthorizer(variables))
  const conditions = yield* conditionsHold(policy.conditions, { ...scoped(), namespaceObject: null }, pace)
  if (conditions.error !== undefined) return fails ? failed(conditions.error) : PASSED
  if (!conditions.holds) return PASSED
  try {
    const budget = new Budget(PER_REQUEST_BUDGET, pace)
    const outcomes: EvaluationResult[] = []
    const scope = scoped()
    for (const validation of policy.validations) {
      outcomes.push(evaluate(validation, scope, budget))
      if (pace.isDue) yield
    }
    const texts = yield* messages(policy, outcomes, { variables: unauthorized(), budget, pace })
    const annotated = yield* annotate(policy, { variables: unauthorized(), budget: new Budget(PER_REQUEST_BUDGET, pace), pace }, fails)
    return { failures: notify(policy, outcomes, texts, fails), ...annotated }
  } catch (error) {
    if (error instanceof BudgetError) return fails ? failed(error.message) : PASSED
    throw error
  }
}

const withoutAuthorizer = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('authorizer')))

const failed = (message: string): Validated => ({ ...PASSED, failures: [{ index: 0, message }] })

interface Evaluation {
  readonly variables: Variables
  readonly budget: Budget
  readonly pace: Pace
}

/**
 * The results of the message expressions of failed validations; undefined if there is none. If the budget is exhausted here, the static
 * messages are used.
 */
function* messages(
  policy: CompiledPolicy,
  outcomes: readonly EvaluationResult[],
  { variables, budget, pace }: Evaluation,
): Steps<(string | undefined)[]> {
  const texts: (string | undefined)[] = []
  try {
    for (const [i, { message }] of policy.validations.entries()) {
      if (pace.isDue) yield
      texts.push(message === undefined || outcomes[i]?.value !== false ? undefined : messageOf(evaluate(message, variables, budget)))
    }
    return texts
  } catch (error) {
    if (error instanceof BudgetError) return []
    throw error
  }
}

function messageOf({ value }: EvaluationResult): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || Buffer.byteLength(text) > MESSAGE_BYTES || text.includes('\n') ? undefined : text
}

function notify(
  policy: CompiledPolicy,
  outcomes: readonly EvaluationResult[],
  texts: readonly (string | undefined)[],
  fails: boolean,
): Failure[] {
  return outcomes.flatMap((outcome, index): Failure[] => {
    const validation = policy.validations[index]?.validation
    if (validation === undefined || outcome.value === true) return []
    if (outcome.error !== undefined) return fails ? [{ index, message: outcome.error }] : []
    const message = texts[index] || (validation.message ?? '').trim() || `failed expression: ${validation.expression.trim()}`
    return [{ index, message, ...(validation.reason === undefined ? {} : { reason: validation.reason }) }]
  })
}

function* annotate(
  policy: CompiledPolicy,
  { variables, budget, pace }: Evaluation,
  fails: boolean,
): Steps<Pick<Validated, 'annotations' | 'annotationErrors'>> {
  const annotations: { key: string; value: string }[] = []
  const annotationErrors: string[] = []
  for (const annotation of policy.annotations) {
    if (pace.isDue) yield
    const { value, error } = evaluate(annotation, variables, budget)
    if (error !== undefined) {
      if (fails) annotationErrors.push(error)
    } else if (typeof value === 'string' && value.trim() !== '') annotations.push({ key: annotation.key, value: value.trim() })
  }
  return { annotations, annotationErrors }
}
