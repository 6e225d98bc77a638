/** Runs so many pieces of work at once; the others wait in the order in which they came. */
export class Lane {
  readonly #width: number
  readonly #waiting: (() => void)[] = []
  #inside = 0

  constructor(width: number) {
    this.#width = width
  }

  async run(work: () => Promise<void>): Promise<void> {
    if (this.#inside >= this.#width) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#inside++
    try {
      await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#inside--
      else next()
    }
  }
}
