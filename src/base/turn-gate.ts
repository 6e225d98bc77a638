import { nextTurn } from './turns.ts'

/**
 * Limits how many calls pass in one turn of the event loop; the others wait, in order, for the next turns. For work that never waits
 * itself: thousands of pieces of it at once would block the event loop.
 */
export class TurnGate {
  readonly #perTurn: number
  #left: number
  #scheduled = false
  #waiting: (() => void)[] = []
  /** How many of `#waiting` have passed already. */
  #passed = 0

  constructor(perTurn: number) {
    this.#perTurn = perTurn
    this.#left = perTurn
  }

  /** Undefined: continue at once. Else resolves when it is the caller's turn. */
  pass(): Promise<void> | undefined {
    this.#schedule()
    if (this.#left > 0) {
      this.#left--
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    nextTurn(() => this.#open())
  }

  #open(): void {
    this.#scheduled = false
    this.#left = this.#perTurn
    if (this.#waiting.length === 0) return
    this.#schedule()
    for (; this.#left > 0 && this.#passed < this.#waiting.length; this.#left--) this.#waiting[this.#passed++]?.()
    if (this.#passed < this.#waiting.length) return
    this.#waiting = []
    this.#passed = 0
  }
}
