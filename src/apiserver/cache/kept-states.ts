import type { Revision } from '../../storage/store.ts'
import type { Holder, MemoryBudget } from './memory-budget.ts'

const MOST = 8

interface Kept<T> {
  readonly revision: Revision
  readonly state: T
  /** Of what was replaced while this was the latest state kept: it is held for this state and those before. */
  bytes: number
  /** When it was last asked for, in rounds. */
  round: number
}

/** The states from which the pages of lists in progress are cut, oldest first: bounded in number, in bytes (with all others together), and by age. */
export class KeptStates<T> implements Holder {
  readonly #budget: MemoryBudget
  #kept: Kept<T>[] = []
  #round = 0

  constructor(budget: MemoryBudget) {
    this.#budget = budget
    budget.join(this)
  }

  get heldBytes(): number {
    return this.#kept.reduce((sum, k) => sum + k.bytes, 0)
  }

  get size(): number {
    return this.#kept.length
  }

  /** Keeps a state if that revision's is not there yet. */
  keep(revision: Revision, make: () => T): void {
    if (this.get(revision) !== undefined) return
    this.#kept.push({ revision, state: make(), bytes: 0, round: this.#round })
    if (this.#kept.length > MOST) this.shrink()
  }

  get(revision: Revision): T | undefined {
    const found = this.#kept.find((k) => k.revision === revision)
    if (found !== undefined) found.round = this.#round
    return found?.state
  }

  /** So many bytes stand no more in the present state. */
  replaced(bytes: number): void {
    const latest = this.#kept.at(-1)
    if (latest === undefined) return
    latest.bytes += bytes
    this.#budget.changed(bytes)
  }

  /** Lets the oldest go. */
  shrink(): void {
    const oldest = this.#kept.shift()
    if (oldest !== undefined) this.#budget.changed(-oldest.bytes)
  }

  /** Another round has passed; states that nobody asked for in `rounds` of them go. */
  age(rounds: number): void {
    this.#round++
    while (this.#kept[0] !== undefined && this.#round - this.#kept[0].round > rounds) this.shrink()
  }
}
