import type { Steps } from '../../../base/steps.ts'
import { MATCH_CONDITIONS_BUDGET } from '../../../machinery/cel/cost-limits.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { Expression } from './compile-policy.ts'
import { Budget, BudgetError, evaluate, type Pace, type Variables } from './evaluate.ts'

export type Conditions = { readonly holds: boolean; readonly error?: undefined } | { readonly holds?: undefined; readonly error: string }

/**
 * Whether all conditions hold. A false condition decides, even if others fail; `error` has the evaluation errors. Throws `Suspended` while
 * it waits for an authorization decision.
 */
export function* conditionsHold(conditions: readonly Expression[], variables: Variables, pace: Pace): Steps<Conditions> {
  if (conditions.length === 0) return { holds: true }
  const budget = new Budget(MATCH_CONDITIONS_BUDGET, pace)
  const errors: string[] = []
  try {
    for (const condition of conditions) {
      if (pace.isDue) yield
      const outcome = evaluate(condition, variables, budget)
      if (outcome.error !== undefined) errors.push(outcome.error)
      else if (outcome.value === false) return { holds: false }
    }
  } catch (error) {
    if (error instanceof BudgetError) return { error: error.message }
    throw error
  }
  if (errors.length === 0) return { holds: true }
  return { error: joinErrors(errors) }
}
