import { Pace } from '../../base/steps.ts'

/**
 * Work is counted in steps of about a microsecond: one device tried, or ten units of CEL cost. Kubernetes gives each call of this filter
 * `filterTimeout` (10 s) in a thread of its own. Here all components share one thread, so an attempt gets about 4 s.
 */
export const STEPS_PER_ATTEMPT = 4_000_000
/** What the search on one node may take of them. */
export const STEPS_PER_NODE = 200_000
const STEPS_PER_MS = 1000
/** For searches that must end in the same turn of the event loop: dry runs of preemption, reports, nodes that changed since the search. */
export const STEPS_AT_ONCE = 50_000

const CEL_COST_PER_STEP = 10
const CHARACTERS_COMPILED_PER_STEP = 2

export const stepsOfCelCost = (cost: number) => 1 + Math.ceil(cost / CEL_COST_PER_STEP)
export const stepsToCompile = (expression: string) => Math.ceil(expression.length / CHARACTERS_COMPILED_PER_STEP)

/** The search for devices has used up its steps. */
export class SearchTimeout extends Error {
  override readonly name = 'SearchTimeout'
  constructor() {
    super('timed out trying to allocate devices')
  }
}

/** The steps that the search for the devices of one pod has left in this attempt. */
export class SearchBudget {
  readonly #pace = new Pace()
  readonly #perNode: number
  #left: number
  #leftOnNode = 0

  /** `filterTimeoutMs`: shortens the search on each node; it cannot lengthen it. 0: not limited by a timeout. */
  constructor(steps: number, filterTimeoutMs = 0) {
    this.#left = steps
    this.#perNode = filterTimeoutMs === 0 ? STEPS_PER_NODE : Math.min(STEPS_PER_NODE, filterTimeoutMs * STEPS_PER_MS)
  }

  get left(): number {
    return this.#left
  }

  beginNode(): void {
    this.#leftOnNode = Math.min(this.#left, this.#perNode)
  }

  /**
   * Counts steps that were done, or are about to be. True: the event loop is due a turn, and the caller yields.
   * @throws {SearchTimeout} when the node or the attempt has none left
   */
  spend(steps: number): boolean {
    this.#left -= steps
    this.#leftOnNode -= steps
    if (this.#leftOnNode < 0) throw new SearchTimeout()
    return this.#pace.due(steps)
  }
}
