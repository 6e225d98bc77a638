/** A map of bounded weight: when it is full, the entries that were not read or set for the longest leave first. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly weight: number }>()
  readonly #maxWeight: number
  #weight = 0

  /** Without weights, `maxWeight` is the largest number of entries. */
  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** The newest entry stays even when it alone is heavier than the bound. */
  set(key: K, value: V, weight = 1): void {
    this.delete(key)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight || oldest === key) return
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }

  /** The values, from the one that leaves first to the one that leaves last. */
  values(): V[] {
    return [...this.#entries.values()].map(({ value }) => value)
  }

  get size(): number {
    return this.#entries.size
  }
}
