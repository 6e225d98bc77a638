import type { RecordedTrail } from './recorded-trail.ts'

/** Trails in the order of their arrival. */
export class TrailQueue {
  /** Those before `#head` are gone. */
  #trails: (RecordedTrail | undefined)[] = []
  #head = 0

  get size(): number {
    return this.#trails.length - this.#head
  }

  push(trail: RecordedTrail): void {
    this.#trails.push(trail)
  }

  /** Takes the oldest out. */
  shift(): RecordedTrail | undefined {
    const oldest = this.#trails[this.#head]
    if (oldest === undefined) return undefined
    this.#trails[this.#head++] = undefined
    if (2 * this.#head > this.#trails.length) this.#compact()
    return oldest
  }

  #compact(): void {
    this.#trails = this.#trails.slice(this.#head)
    this.#head = 0
  }
}
