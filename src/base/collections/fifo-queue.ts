/** How many items may be gone at the front before they are cut off. */
const SLACK = 1024

/** First in, first out, at the same cost however many wait (`shift` of a long array moves all of it). Producers bound what they add. */
export class FifoQueue<T extends object> {
  #items: (T | undefined)[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  /** The next item, which stays. */
  get first(): T | undefined {
    return this.#items[this.#head]
  }

  add(item: T): void {
    this.#items.push(item)
  }

  take(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head === this.#items.length || (this.#head > SLACK && this.#head * 2 > this.#items.length)) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
