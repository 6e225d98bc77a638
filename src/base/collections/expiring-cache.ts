import type { Clock } from '../clock.ts'

interface Entry<V> {
  readonly value: V
  readonly untilMs: number
  readonly size: number
}

/** The bounds of a cache. */
export interface CacheBounds<V> {
  readonly entries: number
  /** The sum of what `sizeOf` returns for the values, and of their keys' lengths. Default: not bounded. */
  readonly size?: number
  sizeOf?(value: V): number
}

/** The length of a value's JSON: about the bytes that it keeps in memory. */
export const jsonLength = (value: unknown): number => JSON.stringify(value).length

/** A bounded cache whose values expire: the least recently used ones are evicted first. A value beyond the bound is not kept. */
export class ExpiringCache<V> {
  readonly #entries = new Map<string, Entry<V>>()
  readonly #bounds: CacheBounds<V>
  readonly #clock: Pick<Clock, 'monotonic'>
  #size = 0

  constructor(bounds: CacheBounds<V>, clock: Pick<Clock, 'monotonic'>) {
    this.#bounds = bounds
    this.#clock = clock
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.untilMs <= this.#clock.monotonic()) {
      this.#drop(key)
      return undefined
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps the value for so long; not at all for a time of zero or less. */
  set(key: string, value: V, ttlMs: number): void {
    this.#drop(key)
    if (ttlMs <= 0) return
    const { entries, size: most = Number.POSITIVE_INFINITY } = this.#bounds
    const size = key.length + (this.#bounds.sizeOf?.(value) ?? 0)
    if (size > most) return
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < entries && this.#size + size <= most) break
      this.#drop(oldest)
    }
    this.#entries.set(key, { value, untilMs: this.#clock.monotonic() + ttlMs, size })
    this.#size += size
  }

  #drop(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }

  get size(): number {
    return this.#entries.size
  }
}
