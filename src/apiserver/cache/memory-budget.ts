/** Somebody who keeps the past, and can keep less of it. */
export interface Holder {
  readonly heldBytes: number
  /** Lets go of a part, and tells the budget. */
  shrink(): void
}

/**
 * One bound in bytes over many holders. When it is passed, whoever holds most gives way: a resource whose objects are fat, or change without end,
 * shortens its own past and nobody else's.
 */
export class MemoryBudget {
  readonly #maxBytes: number
  readonly #holders = new Set<Holder>()
  #heldBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** What all hold together. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  join(holder: Holder): void {
    this.#holders.add(holder)
  }

  /** A holder has so many bytes more, or fewer. */
  changed(bytes: number): void {
    this.#heldBytes += bytes
    while (this.#heldBytes > this.#maxBytes) {
      const before = this.#heldBytes
      this.#largest()?.shrink()
      if (this.#heldBytes >= before) return
    }
  }

  #largest(): Holder | undefined {
    let most: Holder | undefined
    for (const holder of this.#holders) if (most === undefined || holder.heldBytes > most.heldBytes) most = holder
    return most
  }
}
