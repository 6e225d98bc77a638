/** Lets so much work run at the same time; the rest waits, in order. */
export class Slots {
  readonly #size: () => number
  #busy = 0
  readonly #waiting: (() => void)[] = []

  /** `size` may change: it counts whenever work begins or ends. */
  constructor(size: () => number) {
    this.#size = size
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const begun = new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#admit()
    await begun
    try {
      return await work()
    } finally {
      this.#busy--
      this.#admit()
    }
  }

  #admit(): void {
    while (this.#busy < this.#size()) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#busy++
      next()
    }
  }
}
