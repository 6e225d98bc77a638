import type { RecordedTrail } from './recorded-trail.ts'

/** The last trails, in the order of their arrival. */
export class TrailRing {
  readonly #most: number
  /** Grows up to `#most`; from then on the oldest is at `#first`, and the next ones follow around the end. */
  readonly #slots: (RecordedTrail | undefined)[] = []
  #first = 0
  #size = 0

  /** Keeps at most so many. */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  get full(): boolean {
    return this.#size === this.#most
  }

  /** Adds the latest; the ring is not full. */
  push(trail: RecordedTrail): void {
    this.#slots[(this.#first + this.#size) % this.#most] = trail
    this.#size++
  }

  /** Takes the oldest out. */
  shift(): RecordedTrail | undefined {
    if (this.#size === 0) return undefined
    const oldest = this.#slots[this.#first]
    this.#slots[this.#first] = undefined
    this.#first = (this.#first + 1) % this.#most
    this.#size--
    return oldest
  }

  *[Symbol.iterator](): Generator<RecordedTrail> {
    for (let i = 0; i < this.#size; i++) {
      const trail = this.#slots[(this.#first + i) % this.#most]
      if (trail !== undefined) yield trail
    }
  }
}
