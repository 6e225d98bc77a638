import { Signal } from '../signal.ts'

export interface BoundedQueueOptions<T> {
  /** How much may wait: items, or whatever `weigh` counts. */
  readonly limit: number
  /** What an item counts for, bytes for instance. Default: 1. */
  readonly weigh?: (item: T) => number
  /**
   * How an item is handled that does not fit: `refuse` leaves it to the producer; `drop` drops the oldest waiting items; `lag` drops all
   * waiting items and notifies the consumer, which has to catch up in another way.
   */
  readonly policy: 'refuse' | 'drop' | 'lag'
}

/** The result for an item: with `dropped` and `lagging` others were dropped for it (or, while lagging, the item itself). */
export type Offered = 'taken' | 'refused' | 'dropped' | 'lagging' | 'closed'

export type Taken<T> = { readonly kind: 'item'; readonly item: T } | { readonly kind: 'lagging' } | { readonly kind: 'closed' }

/** How many items may be gone at the front before they are cut off. */
const SLACK = 1024

/** A queue between producers that never wait and consumers that do. The bound is kept where items are put in. */
export class BoundedQueue<T> {
  /** Raised when `poll` has something to give. */
  readonly arrived = new Signal()
  readonly #options: BoundedQueueOptions<T>
  #items: (T | undefined)[] = []
  #head = 0
  #weight = 0
  #lagging = false
  #closed = false

  constructor(options: BoundedQueueOptions<T>) {
    this.#options = options
  }

  /** How many items wait. */
  get size(): number {
    return this.#items.length - this.#head
  }

  /** What the waiting items weigh together. */
  get weight(): number {
    return this.#weight
  }

  /** The next item, without taking it; undefined when there is none. */
  get first(): T | undefined {
    return this.#items[this.#head]
  }

  offer(item: T): Offered {
    if (this.#closed) return 'closed'
    if (this.#lagging) return 'lagging'
    const weight = this.#weigh(item)
    if (this.#weight + weight <= this.#options.limit) {
      this.#push(item, weight)
      return 'taken'
    }
    return this.#overflow(item, weight)
  }

  /** The next item, when there is one; what waited when the queue was closed still comes. An aborted signal reads as closed. */
  async take(signal?: AbortSignal): Promise<Taken<T>> {
    for (;;) {
      const ready = this.poll()
      if (ready !== undefined) return ready
      if ((await this.arrived.wait({ signal })) === 'aborted') return { kind: 'closed' }
    }
  }

  /** What `take` would give at once; undefined when it would wait. */
  poll(): Taken<T> | undefined {
    if (this.#lagging) {
      this.#lagging = false
      return { kind: 'lagging' }
    }
    if (this.size > 0) return { kind: 'item', item: this.#shift() }
    return this.#closed ? { kind: 'closed' } : undefined
  }

  /** Takes nothing in from here on. */
  close(): void {
    this.#closed = true
    this.arrived.raise()
  }

  #overflow(item: T, weight: number): Offered {
    const { policy, limit } = this.#options
    if (policy === 'refuse') return 'refused'
    if (policy === 'lag') {
      this.#items = []
      this.#head = 0
      this.#weight = 0
      this.#lagging = true
      this.arrived.raise()
      return 'lagging'
    }
    while (this.size > 0 && this.#weight + weight > limit) this.#shift()
    if (weight <= limit) this.#push(item, weight)
    return 'dropped'
  }

  #weigh(item: T): number {
    return this.#options.weigh?.(item) ?? 1
  }

  #push(item: T, weight: number): void {
    this.#items.push(item)
    this.#weight += weight
    this.arrived.raise()
  }

  #shift(): T {
    // Callers have checked `size`, so there is an item; it is undefined only if T includes undefined.
    const item = this.#items[this.#head] as T
    this.#items[this.#head++] = undefined
    this.#weight -= this.#weigh(item)
    if (this.#head === this.#items.length || (this.#head > SLACK && this.#head * 2 > this.#items.length)) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}

export interface WorkersOptions<T> {
  /** How many items are worked on at once. */
  readonly workers: number
  readonly work: (item: T) => Promise<void>
  /** Called with what `work` threw; other items are processed as usual. */
  readonly failed: (error: unknown, item: T) => void
  /** Catches up after items were given up, while nothing else is worked on. Needed by the policy `lag` only. */
  readonly lagging?: () => Promise<void>
}

/**
 * Works a queue off until it is closed and empty, or the signal is aborted: what was begun is finished, what waits stays in the queue.
 * A queue without items costs nothing but one waiting promise, however many workers it may have.
 */
export async function workOff<T>(queue: BoundedQueue<T>, options: WorkersOptions<T>, signal?: AbortSignal): Promise<void> {
  const underway = new Set<Promise<void>>()
  const begin = (item: T) => {
    const one = workOn(item, options).finally(() => {
      underway.delete(one)
      queue.arrived.raise()
    })
    underway.add(one)
  }
  while (!signal?.aborted) {
    const taken = underway.size < options.workers ? queue.poll() : undefined
    if (taken === undefined) await queue.arrived.wait({ signal })
    else if (taken.kind === 'closed') break
    else if (taken.kind === 'item') begin(taken.item)
    else {
      await Promise.all(underway)
      await options.lagging?.()
    }
  }
  await Promise.all(underway)
}

async function workOn<T>(item: T, { work, failed }: WorkersOptions<T>): Promise<void> {
  try {
    await work(item)
  } catch (error) {
    failed(error, item)
  }
}
