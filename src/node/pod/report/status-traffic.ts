/** How many statuses may be on their way before the first words of new pods wait. */
const CROWDED = 16

/**
 * The status writes of all agents of a process. The kubelet's status manager writes one status after the other, and of each pod the one that it has by the time of
 * its turn; so where many are on their way, what a new pod has to say first waits, and is most often told together with its start.
 */
export class StatusTraffic {
  #underway = 0
  readonly #waiting = new Set<() => void>()

  /** Whether so much is under way that what may wait waits. */
  get crowded(): boolean {
    return this.#underway >= CROWDED
  }

  /** A write that does not wait. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    this.#underway++
    try {
      return await work()
    } finally {
      this.#underway--
      this.#admit()
    }
  }

  /** Calls `begin` as soon as it is not crowded, unless it is taken back. What `begin` does is a `write`. */
  later(begin: () => void): () => void {
    this.#waiting.add(begin)
    this.#admit()
    return () => this.#waiting.delete(begin)
  }

  #admit(): void {
    for (const begin of this.#waiting) {
      if (this.crowded) return
      this.#waiting.delete(begin)
      begin()
    }
  }
}
