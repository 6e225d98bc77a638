import type { Revision } from '../../storage/store.ts'
import type { Holder, MemoryBudget } from './memory-budget.ts'

const MOST = 8

interface Kept<T> {
  readonly revision: Revision
  readonly state: T
  /** Bytes of objects replaced while this was the latest kept state: only this state and earlier ones hold them. */
  bytes: number
}

/**
 * The states from which the pages of paginated lists are cut, oldest first, bounded in number, in bytes (shared with other holders) and in
 * age.
 */
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

  /** Keeps a state unless one of that revision is kept already. */
  keep(revision: Revision, make: () => T): void {
    if (this.get(revision) !== undefined) return
    this.#kept.push({ revision, state: make(), bytes: 0 })
    if (this.#kept.length > MOST) this.shrink()
  }

  get(revision: Revision): T | undefined {
    return this.#kept.find((k) => k.revision === revision)?.state
  }

  /** Counts bytes that the present state no longer holds. */
  replaced(bytes: number): void {
    const latest = this.#kept.at(-1)
    if (latest === undefined) return
    latest.bytes += bytes
    this.#budget.changed(bytes)
  }

  /** Drops the oldest state. */
  shrink(): void {
    const oldest = this.#kept.shift()
    if (oldest !== undefined) this.#budget.changed(-oldest.bytes)
  }

  /** Drops states older than the revision, as a compaction does, even if they are still being read. */
  forgetBefore(revision: Revision): void {
    while (this.#kept[0] !== undefined && this.#kept[0].revision < revision) this.shrink()
  }
}
