import type { Logger } from '../base/logger.ts'
import { Signal } from '../base/signal.ts'

/** Work that runs while the next pods are scheduled: bindings, conditions, preemption. */
export class InFlight {
  readonly #log: Logger
  readonly #works = new Set<Promise<void>>()
  readonly #ended = new Signal()

  constructor(log: Logger) {
    this.#log = log
  }

  get size(): number {
    return this.#works.size
  }

  /** Takes on the work; a failure is logged. */
  launch(work: Promise<void>): void {
    const one = work
      .catch((error) => this.#log.error('the scheduler could not write what it decided', { error }))
      .finally(() => {
        this.#works.delete(one)
        this.#ended.raise()
      })
    this.#works.add(one)
  }

  /** Resolves when fewer than `limit` works are in flight. */
  async fewerThan(limit: number): Promise<void> {
    while (this.#works.size >= limit) await this.#ended.wait()
  }

  /** Resolves when the works that are in flight now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#works)
  }
}
