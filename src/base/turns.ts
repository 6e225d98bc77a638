/**
 * The only file that defers work to a later turn of the event loop without a timer. The virtual clock checks here whether work is pending.
 */

/** How long the work that waits may run in one turn; the rest waits for the next turn. One piece of work may take longer. */
const TURN_MS = 10

/**
 * Calls functions in later turns of the event loop, the oldest first. Node calls all immediates of a turn before it reads sockets, so that
 * the pieces of many long requests would add up: a turn takes what waits for `TURN_MS`.
 */
export class TurnQueue {
  readonly #nowMs: () => number
  /** A queue of two stacks: the functions to call next, the oldest last, and those that came since, the oldest first. */
  #oldest: (() => void)[] = []
  #later: (() => void)[] = []
  #startedMs = 0
  #isNextPlanned = false

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** How many functions wait. */
  get size(): number {
    return this.#oldest.length + this.#later.length
  }

  add(fn: () => void): void {
    this.#later.push(fn)
    this.#planStep()
  }

  #planStep(): void {
    if (!this.#isNextPlanned) setImmediate(this.#beginTurn)
    this.#isNextPlanned = true
    setImmediate(this.#step)
  }

  readonly #beginTurn = (): void => {
    this.#isNextPlanned = false
    this.#startedMs = this.#nowMs()
  }

  /** Calls the function that waits longest: promise reactions run before the next step. */
  readonly #step = (): void => {
    if (this.#nowMs() - this.#startedMs > TURN_MS) {
      this.#planStep()
      return
    }
    if (this.#oldest.length === 0) [this.#oldest, this.#later] = [this.#later.reverse(), []]
    this.#oldest.pop()?.()
  }
}

const turns = new TurnQueue(() => performance.now())

/** Calls `fn` when the event loop has turned: what is ready now, of sockets and of others, comes first. */
export function nextTurn(fn: () => void): void {
  turns.add(fn)
}

/** Gives the rest of the process its turn: long work awaits it between slices. */
export function giveTurn(): Promise<void> {
  return new Promise(nextTurn)
}

/** The same for a caller that waits until nothing is pending: it does not count itself, nor others that wait for the same. */
export function giveUncountedTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** The number of turns that a piece of work may take inside Node's streams, parsers and TLS, which do not report them. */
const STIRRED_TURNS = 4
let stirred = 0

/** Announces work inside the process that none of our promises represents: the next few turns of the event loop belong to it. */
export function stirTurns(): void {
  const idle = stirred === 0
  stirred = STIRRED_TURNS
  if (idle) nextTurn(stir)
}

function stir(): void {
  stirred--
  if (stirred > 0) nextTurn(stir)
}

/** Calls `fn` when the running callback is done, before promise reactions run. */
export function afterCallback(fn: () => void): void {
  process.nextTick(fn)
}

/** How many calls wait for a later turn of the event loop. */
export function pendingTurns(): number {
  return turns.size
}
