import { nextTurn } from '../turns.ts'

/** How many changes are kept; a watch that resumes from before them gets 410. */
const MOST_CHANGES = 16_384

/**
 * In which order the objects of a computed collection changed: each change is a revision. A server that starts again begins above all that
 * it gave out before, so that no client resumes in another history.
 */
export class ChangeLog {
  /** `#keys[i]` changed at revision `#floor + i + 1`. */
  #keys: string[] = []
  #floor: number
  readonly #listeners = new Set<() => void>()
  #waking = false

  /** `nowMs`: since the Unix epoch. A collection changes less than a thousand times in a millisecond. */
  constructor(nowMs: number) {
    this.#floor = Math.floor(nowMs) * 1000
  }

  get revision(): number {
    return this.#floor + this.#keys.length
  }

  /** Notes a change; returns its revision. */
  note(key: string): number {
    this.#keys.push(key)
    if (this.#keys.length >= 2 * MOST_CHANGES) this.#forget()
    if (this.#listeners.size > 0 && !this.#waking) this.#wake()
    return this.revision
  }

  /** The keys that changed after the revision, in order, at most so many; undefined if the log does not reach back to it. */
  after(revision: number, most: number): readonly string[] | undefined {
    if (revision < this.#floor || revision > this.revision) return undefined
    const from = revision - this.#floor
    return this.#keys.slice(from, from + most)
  }

  /** Changes will be missing: a watch that resumes from before gets 410. */
  restart(): void {
    this.#floor = this.revision + 1
    this.#keys = []
  }

  /** Calls `listener` in the turn after a change, once for all changes of a turn. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  #forget(): void {
    const dropped = this.#keys.length - MOST_CHANGES
    this.#keys = this.#keys.slice(dropped)
    this.#floor += dropped
  }

  #wake(): void {
    this.#waking = true
    nextTurn(() => {
      this.#waking = false
      for (const listener of this.#listeners) listener()
    })
  }
}
