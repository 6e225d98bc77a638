import { FifoQueue } from '../../../base/collections/fifo-queue.ts'

/** The number of writes in flight from which the first reports of new pods are delayed. */
const CROWDED = 16
/**
 * The limit of writes in flight. The memory of a write is held until its response, and is most expensive once it has left the young
 * generation. More writes at a time are not any faster.
 */
const MOST_UNDERWAY = 64

/**
 * The status writes of all agents of a process. The kubelet's status manager writes one status after the other, and of each pod the status
 * that is current by then. So under load the first report of a new pod waits, and is usually merged with the report of its start.
 */
export class StatusTraffic {
  #underway = 0
  readonly #waiting = new Set<() => void>()
  /** Bounded by the number of pods: each has one write at most. */
  readonly #full = new FifoQueue<() => void>()

  /** Whether so many writes are in flight that deferrable ones wait. */
  get crowded(): boolean {
    return this.#underway >= CROWDED
  }

  /** Runs a write when there is a free slot, in order of arrival. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underway < MOST_UNDERWAY) this.#underway++
    else await new Promise<void>((resolve) => this.#full.add(resolve))
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  /** Calls `begin` as soon as it is not crowded, unless it is cancelled. `begin` starts a `write`. */
  later(begin: () => void): () => void {
    this.#waiting.add(begin)
    this.#admit()
    return () => this.#waiting.delete(begin)
  }

  /** Passes the slot on to the next waiting write. */
  #leave(): void {
    const next = this.#full.take()
    if (next === undefined) {
      this.#underway--
      this.#admit()
    } else next()
  }

  #admit(): void {
    for (const begin of this.#waiting) {
      if (this.crowded) return
      this.#waiting.delete(begin)
      begin()
    }
  }
}
