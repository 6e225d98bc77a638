import type { ClusterEvent } from '../framework/cluster-event.ts'

/** Events are kept for attempts that take so many of them; an attempt that takes longer has missed some. */
const MAX_EVENTS = 4096

/**
 * The events since the oldest attempt under way began, kept once for all attempts: an attempt must hold its result against events that came
 * meanwhile.
 */
export class EventLog {
  #events: ClusterEvent[] = []
  /** The number of the first event kept. */
  #first = 0
  /** Attempts under way, by the number of the next event when they began. */
  readonly #begun = new Map<number, number>()

  /** Begins an attempt; returns its mark. */
  begin(): number {
    const mark = this.#first + this.#events.length
    this.#begun.set(mark, (this.#begun.get(mark) ?? 0) + 1)
    return mark
  }

  end(mark: number): void {
    const count = this.#begun.get(mark) ?? 0
    if (count > 1) {
      this.#begun.set(mark, count - 1)
      return
    }
    this.#begun.delete(mark)
    if (this.#begun.size === 0) {
      this.#first += this.#events.length
      this.#events = []
    }
  }

  add(event: ClusterEvent): void {
    if (this.#begun.size === 0) return
    this.#events.push(event)
    if (this.#events.length < 2 * MAX_EVENTS) return
    this.#first += MAX_EVENTS
    this.#events = this.#events.slice(MAX_EVENTS)
  }

  /** The events after a mark; undefined when some are not kept any more. */
  since(mark: number): readonly ClusterEvent[] | undefined {
    return mark < this.#first ? undefined : this.#events.slice(mark - this.#first)
  }
}
