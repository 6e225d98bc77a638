import type { Revision } from '../../storage/store.ts'
import type { Holder, MemoryBudget } from './memory-budget.ts'

const MOST = 8

interface Kept<T> {
  readonly revision: Revision
  readonly state: T
  /** Of what was replaced while this was the latest state kept: it is held for this state and those before. */
  bytes: number
}

/** The states from which the pages of lists in progress are cut, oldest first: bounded in number, in bytes (with all others together), and by age. */
export class KeptStates<T> implements Holder {
  readonly #budget: MemoryBudget
  #kept: Kept<T>[] = []

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
    this.#kept.push({ revision, state: make(), bytes: 0 })
    if (this.#kept.length > MOST) this.shrink()
  }

  get(revision: Revision): T | undefined {
    return this.#kept.find((k) => k.revision === revision)?.state
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

  /** Lets states of before this revision go, as a compaction does: also those that somebody asks for again and again. */
  forgetBefore(revision: Revision): void {
    while (this.#kept[0] !== undefined && this.#kept[0].revision < revision) this.shrink()
  }
}
