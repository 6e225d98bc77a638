import { BoundedQueue } from '../../../base/collections/bounded-queue.ts'

/** How many statuses may be on their way before the first words of new pods wait. */
const CROWDED = 16
/**
 * How many may be on their way at all. What a write is made of lives until it is answered, and costs most when it has outlived the young
 * generation; so many in company are committed together, and more are not written any faster.
 */
const MOST_UNDERWAY = 64

/**
 * The status writes of all agents of a process. The kubelet's status manager writes one status after the other, and of each pod the one
 * that it has by the time of its turn; so where many are on their way, what a new pod has to say first waits, and is most often told
 * together with its start.
 */
export class StatusTraffic {
  #underway = 0
  readonly #waiting = new Set<() => void>()
  /** As many as pods have something to say at most: each has one. */
  readonly #full = new BoundedQueue<() => void>({ limit: Number.POSITIVE_INFINITY, policy: 'refuse' })

  /** Whether so much is under way that what may wait waits. */
  get crowded(): boolean {
    return this.#underway >= CROWDED
  }

  /** A write that only waits while it is full, in the order of who came. `work` is called when it is its turn. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underway < MOST_UNDERWAY) this.#underway++
    else await new Promise<void>((resolve) => this.#full.offer(resolve))
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  /** Calls `begin` as soon as it is not crowded, unless it is taken back. What `begin` does is a `write`. */
  later(begin: () => void): () => void {
    this.#waiting.add(begin)
    this.#admit()
    return () => this.#waiting.delete(begin)
  }

  /** The place goes to who waits for one, if anybody does. */
  #leave(): void {
    const next = this.#full.poll()
    if (next?.kind === 'item') {
      next.item()
      return
    }
    this.#underway--
    this.#admit()
  }

  #admit(): void {
    for (const begin of this.#waiting) {
      if (this.crowded) return
      this.#waiting.delete(begin)
      begin()
    }
  }
}
