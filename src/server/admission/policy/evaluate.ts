import { inTurns, type Steps } from '../../../base/steps.ts'
import { Suspended } from '../../../machinery/cel/admission/authorizer.ts'
import { PER_CALL_LIMIT } from '../../../machinery/cel/cost-limits.ts'
import { CostError } from '../../../machinery/cel/plan/meter.ts'
import { CelError, type Struct, type Value } from '../../../machinery/cel/values.ts'
import type { Expression } from './compile-policy.ts'

/** The remaining cost budget of expressions that are evaluated together. */
export class Budget {
  #left: number
  readonly #pace: Pace | undefined

  constructor(limit: number, pace?: Pace) {
    this.#left = limit
    this.#pace = pace
  }

  spend(cost: number): void {
    this.#pace?.spend(cost)
    if (cost > this.#left) throw new BudgetError()
    this.#left -= cost
  }
}

/** The cost units per turn of the event loop for all policies of a request, about 10 ms; one expression may exceed it. */
const UNITS_PER_TURN = 100_000
/** The fixed cost of an expression. */
const UNITS_OF_EXPRESSION = 50

/** Counts the cost of all policies of a request. */
export class Pace {
  #units = 0
  #cost = 0

  /** The cost of all expressions so far. */
  get cost(): number {
    return this.#cost
  }

  /** An expression of that cost was evaluated. */
  spend(cost: number): void {
    this.#cost += cost
    this.work(cost + UNITS_OF_EXPRESSION)
  }

  /** Other work, as long as an expression of that cost. */
  work(units: number): void {
    this.#units += units
  }

  /** Whether to yield now. Resets the count. */
  get isDue(): boolean {
    if (this.#units < UNITS_PER_TURN) return false
    this.#units = 0
    return true
  }
}

export class BudgetError extends Error {
  override readonly name = 'BudgetError'
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run')
  }
}

export type EvaluationResult =
  | { readonly value: Value; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string }

export type Variables = Readonly<Record<string, Value>>

/** Evaluates one expression. Throws `BudgetError`, and `Suspended` while it waits for an authorization decision. */
export function evaluate(expression: Expression, variables: Variables, budget: Budget): EvaluationResult {
  const { program, fault } = expression.compiled
  if (program === undefined) return { error: `compilation error: ${fault}` }
  const meter = { spent: 0, limit: PER_CALL_LIMIT }
  const settle = () => {
    const lazy = variables.variables
    budget.spend(meter.spent + (lazy instanceof LazyVariables ? lazy.takeCost() : 0))
  }
  try {
    const value = program.run(variables, meter)
    settle()
    return { value }
  } catch (error) {
    if (!(error instanceof CelError || error instanceof CostError)) throw error
    settle()
    return { error: `expression '${expression.source}' resulted in error: ${error.message}` }
  }
}

/** The variables of a policy: each is evaluated on first use, once per run. */
export class LazyVariables implements Struct {
  readonly structType = 'kubernetes.variables'
  readonly #expressions: ReadonlyMap<string, Expression>
  readonly #known = new Map<string, Value | CelError>()
  #scope: Variables = {}
  #cost = 0

  constructor(expressions: ReadonlyMap<string, Expression>) {
    this.#expressions = expressions
  }

  /** The other variables, plus `variables`. */
  within(scope: Variables): Variables {
    this.#scope = { ...scope, variables: this }
    return this.#scope
  }

  get(name: string): Value | undefined {
    const known = this.#known.get(name) ?? this.#evaluate(name)
    if (known instanceof CelError) throw known
    return known
  }

  #evaluate(name: string): Value | CelError | undefined {
    const expression = this.#expressions.get(name)
    if (expression === undefined) return undefined
    const value = this.#run(name, expression)
    this.#known.set(name, value)
    return value
  }

  #run(name: string, { compiled }: Expression): Value | CelError {
    if (compiled.program === undefined) return new CelError(`composited variable "${name}" fails to compile: ${compiled.fault}`)
    const meter = { spent: 0, limit: PER_CALL_LIMIT }
    try {
      return compiled.program.run(this.#scope, meter)
    } catch (error) {
      if (!(error instanceof CelError || error instanceof CostError)) throw error
      return new CelError(`composited variable "${name}" fails to evaluate: ${error.message}`)
    } finally {
      this.#cost += meter.spent
    }
  }

  /** The cost of variables since the last call. */
  takeCost(): number {
    const cost = this.#cost
    this.#cost = 0
    return cost
  }

  names(): readonly string[] {
    return [...this.#expressions.keys()]
  }

  equalsStruct = (other: Struct): boolean => other === this
}

/** Runs work in turns, and repeats it whenever it had to wait for a decision. */
export async function inTurnsUntilAnswered<T>(work: () => Steps<T>): Promise<T> {
  for (;;) {
    try {
      return await inTurns(work())
    } catch (error) {
      if (!(error instanceof Suspended)) throw error
      await error.until
    }
  }
}

/** Repeats `work` whenever it had to wait for a decision. */
export async function untilAnswered<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Suspended)) throw error
      await error.until
    }
  }
}
