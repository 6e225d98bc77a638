/** How many bytes several holders may have at once. Those that do not fit wait, in the order in which they came. */
export class ByteBudget {
  readonly #limitBytes: number
  #usedBytes = 0
  readonly #waiting: { readonly bytes: number; readonly admit: () => void }[] = []

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /** Resolves when there is room. What is larger than the whole budget is admitted when nothing else is held. */
  async take(bytes: number): Promise<Disposable> {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      await new Promise<void>((resolve) => this.#waiting.push({ bytes, admit: () => resolve() }))
    else this.#usedBytes += bytes
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        this.#usedBytes -= bytes
        this.#admit()
      },
    }
  }

  #fits(bytes: number): boolean {
    return this.#usedBytes === 0 || this.#usedBytes + bytes <= this.#limitBytes
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#usedBytes += next.bytes
      next.admit()
    }
  }
}
