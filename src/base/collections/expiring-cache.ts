import type { Clock } from '../clock.ts'

interface Entry<V> {
  readonly value: V
  readonly untilMs: number
}

/** A bounded cache whose values expire: the least recently used one is evicted first. */
export class ExpiringCache<V> {
  readonly #entries = new Map<string, Entry<V>>()
  readonly #maxEntries: number
  readonly #clock: Pick<Clock, 'monotonic'>

  constructor(maxEntries: number, clock: Pick<Clock, 'monotonic'>) {
    this.#maxEntries = maxEntries
    this.#clock = clock
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    if (entry.untilMs <= this.#clock.monotonic()) return undefined
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps the value for so long; not at all for a time of zero or less. */
  set(key: string, value: V, ttlMs: number): void {
    this.#entries.delete(key)
    if (ttlMs <= 0) return
    if (this.#entries.size >= this.#maxEntries) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    this.#entries.set(key, { value, untilMs: this.#clock.monotonic() + ttlMs })
  }

  get size(): number {
    return this.#entries.size
  }
}
