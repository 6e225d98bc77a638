import { goFixed } from '../go/go-fixed.ts'

/** Most cost of one evaluation of an expression. */
export const PER_CALL_LIMIT = 1_000_000
/** Most cost of all expressions of one request. */
export const PER_REQUEST_BUDGET = 10_000_000
/** Most cost of the match conditions of one policy or webhook. */
export const MATCH_CONDITIONS_BUDGET = 2_500_000
/** Most estimated cost of a rule of a custom resource. */
export const RULE_ESTIMATE_LIMIT = 10_000_000
/** Most estimated cost of all rules of a definition. */
export const DEFINITION_ESTIMATE_LIMIT = 100_000_000

const ADVICE = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'

/** `estimated rule cost exceeds budget by factor of 2.5x (try …)` */
export function excessText(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${goFixed(factor, 6)}x` : `${goFixed(factor, 1)}x`
  return `${what} exceeds budget by factor of ${shown} (${ADVICE})`
}

export interface RuleCost {
  readonly path: string
  readonly cost: number
}

const TOLD = 4

/** Sums the estimated cost of the rules of a definition, and keeps the most expensive ones. */
export class CostTotal {
  total = 0
  #dearest: readonly RuleCost[] = []

  add(path: string, cost: number): void {
    this.total += cost
    this.#dearest = [...this.#dearest, { path, cost }].toSorted((a, b) => b.cost - a.cost).slice(0, TOLD)
  }

  /** The rules to name if the total is too high. */
  get dearest(): readonly RuleCost[] {
    return this.#dearest
  }
}
