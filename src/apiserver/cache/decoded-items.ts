/** Something that has a decoded form, and can do without. */
export interface Decoded {
  readonly isDecoded: boolean
  /** Whether it was asked for since it was `passed` last. */
  readonly used: boolean
  readonly sizeBytes: number
  /** From here on it has to be asked for again to count as used. */
  pass(): void
  /** Lets go of the decoded form. */
  cool(): void
}

/** Below this many nothing is tidied up. */
const FEW = 1024

/**
 * The items of one resource that are decoded. Those that nobody asks for let go of it, but for so many bytes of them: a hundred thousand pods that only run are read by
 * nobody, and decoded they weigh ten times what they do packed. What is read from time to time stays, however much it is.
 */
export class DecodedItems {
  #items: Decoded[] = []
  #bytes = 0
  #limit = FEW
  /** How far the round under way has come, and what it leaves. */
  #at = 0
  #left: Decoded[] = []

  /** How many are known: some of them are decoded no more. */
  get size(): number {
    return this.#items.length + this.#left.length - this.#at
  }

  /** How many bytes they have in the store. */
  get bytes(): number {
    return this.#bytes
  }

  /** It was decoded. */
  add(item: Decoded): void {
    this.#items.push(item)
    this.#bytes += item.sizeBytes
    if (this.size > this.#limit) this.#tidy()
  }

  /** Looks at so many items more; true when the round is over. */
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

  /** What is decoded no more (it was replaced, and the past does without) is held by nobody for this. */
  #tidy(): void {
    const items = [...this.#left, ...this.#items.slice(this.#at)].filter((item) => item.isDecoded)
    this.#left = []
    this.#at = 0
    this.#items = items
    this.#bytes = items.reduce((sum, item) => sum + item.sizeBytes, 0)
    this.#limit = Math.max(FEW, 2 * items.length)
  }
}
