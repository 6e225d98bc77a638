/** What a key has; empty when the entry is removed. */
interface Box<V> {
  value: V | undefined
}

/**
 * A map of what is under way: its entries come and go all the time. It keeps each value in a box, and empties the box of an entry that is
 * removed. A `Map` that outgrows its table makes another one; V8 lets the former table refer to the next one and to all that it held. As
 * soon as one of these tables is in the old space, whatever passes through the map outlives the collections of young objects.
 */
export class PassingMap<K, V extends NonNullable<unknown>> {
  readonly #boxes = new Map<K, Box<V>>()

  get size(): number {
    return this.#boxes.size
  }

  get(key: K): V | undefined {
    return this.#boxes.get(key)?.value
  }

  set(key: K, value: V): void {
    const box = this.#boxes.get(key)
    if (box === undefined) this.#boxes.set(key, { value })
    else box.value = value
  }

  delete(key: K): void {
    const box = this.#boxes.get(key)
    if (box === undefined) return
    box.value = undefined
    this.#boxes.delete(key)
  }

  clear(): void {
    for (const box of this.#boxes.values()) box.value = undefined
    this.#boxes.clear()
  }

  /** In the order in which the keys were added. */
  *[Symbol.iterator](): IterableIterator<readonly [K, V]> {
    for (const [key, { value }] of this.#boxes) if (value !== undefined) yield [key, value]
  }
}
