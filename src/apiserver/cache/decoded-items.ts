/** An item with a decoded form that can be dropped and made again. */
export interface Decoded {
  readonly isDecoded: boolean
  /** True if the decoded form was read since the last `pass`. */
  readonly used: boolean
  readonly sizeBytes: number
  /** Clears `used`. */
  pass(): void
  /** Drops the decoded form. */
  cool(): void
}

/** With fewer items than this, nothing is compacted. */
const FEW = 1024

/**
 * The decoded items of one resource. Those that are not read lose their decoded form, except for a bounded number of bytes: a hundred
 * thousand running pods are read by no one, and decoded they weigh ten times as much as packed. Items that are read from time to time stay
 * decoded, however many they are.
 */
export class DecodedItems {
  #items: Decoded[] = []
  #bytes = 0
  #limit = FEW
  /** How far the current round has come, and how many bytes it has kept. */
  #at = 0
  #left: Decoded[] = []

  /** The items in the list; some of them may have lost their decoded form. */
  get size(): number {
    return this.#items.length + this.#left.length - this.#at
  }

  /** Their stored size in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds an item that was decoded. */
  add(item: Decoded): void {
    this.#items.push(item)
    this.#bytes += item.sizeBytes
    if (this.size > this.#limit) this.#tidy()
  }

  /** Examines up to `most` further items; returns true at the end of the round. */
  round(most: number, keepBytes: number): boolean {
    const end = Math.min(this.#items.length, this.#at + most)
    for (; this.#at < end; this.#at++) {
      const item = this.#items[this.#at]
      if (item === undefined) continue
      if (item.isDecoded && !item.used && this.#bytes > keepBytes) item.cool()
      if (item.isDecoded) {
        item.pass()
        this.#left.push(item)
      } else this.#bytes -= item.sizeBytes
    }
    if (this.#at < this.#items.length) return false
    this.#items = this.#left
    this.#left = []
    this.#at = 0
    return true
  }

  /** Removes items whose decoded form is gone (replaced states, for example), so that the list does not hold them. */
  #tidy(): void {
    const items = [...this.#left, ...this.#items.slice(this.#at)].filter((item) => item.isDecoded)
    this.#left = []
    this.#at = 0
    this.#items = items
    this.#bytes = items.reduce((sum, item) => sum + item.sizeBytes, 0)
    this.#limit = Math.max(FEW, 2 * items.length)
  }
}
