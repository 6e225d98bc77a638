/** A binary heap whose entries can be removed and moved by identity. */
export class Heap<T extends object> {
  readonly #items: T[] = []
  readonly #at = new Map<T, number>()
  readonly #before: (a: T, b: T) => boolean

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before
  }

  get size(): number {
    return this.#items.length
  }

  has(item: T): boolean {
    return this.#at.has(item)
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    if (this.#at.has(item)) return
    this.#items.push(item)
    this.#at.set(item, this.#items.length - 1)
    this.#up(this.#items.length - 1)
  }

  pop(): T | undefined {
    const first = this.#items[0]
    if (first !== undefined) this.delete(first)
    return first
  }

  delete(item: T): boolean {
    const at = this.#at.get(item)
    if (at === undefined) return false
    this.#at.delete(item)
    const last = this.#items.pop()
    if (last !== undefined && last !== item) {
      this.#items[at] = last
      this.#at.set(last, at)
      this.#up(at)
      this.#down(this.#at.get(last) ?? at)
    }
    return true
  }

  #up(from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#swapIf(at, parent)) return
      at = parent
    }
  }

  #down(from: number): void {
    let at = from
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      const [l, r] = [this.#items[left], this.#items[right]]
      if (l === undefined) return
      const child = r !== undefined && this.#before(r, l) ? right : left
      if (!this.#swapIf(child, at)) return
      at = child
    }
  }

  /** Swaps when the lower one belongs before the upper one. */
  #swapIf(lower: number, upper: number): boolean {
    const [a, b] = [this.#items[lower], this.#items[upper]]
    if (a === undefined || b === undefined || !this.#before(a, b)) return false
    this.#items[upper] = a
    this.#items[lower] = b
    this.#at.set(a, upper)
    this.#at.set(b, lower)
    return true
  }
}
