/** What one evaluation of an expression may cost. */
export const PER_CALL_LIMIT = 1_000_000
/** What all expressions of one request may cost together. */
export const PER_REQUEST_BUDGET = 10_000_000
/** What the match conditions of one policy or webhook may cost together. */
export const MATCH_CONDITIONS_BUDGET = 2_500_000
/** What a rule of a custom resource may be estimated to cost. */
export const RULE_ESTIMATE_LIMIT = 10_000_000
/** And all rules of a definition. */
export const DEFINITION_ESTIMATE_LIMIT = 100_000_000

const ADVICE = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'

/** `estimated rule cost exceeds budget by factor of 2.5x (try …)` */
export function excessText(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${what} exceeds budget by factor of ${shown} (${ADVICE})`
}

export interface RuleCost {
  readonly path: string
  readonly cost: number
}

const TOLD = 4

/** Adds up what the rules of a definition are estimated to cost, and remembers the dearest. */
export class CostTotal {
  total = 0
  #dearest: readonly RuleCost[] = []

  add(path: string, cost: number): void {
    this.total += cost
    this.#dearest = [...this.#dearest, { path, cost }].toSorted((a, b) => b.cost - a.cost).slice(0, TOLD)
  }

  /** Those to name when the total is too much. */
  get dearest(): readonly RuleCost[] {
    return this.#dearest
  }
}
