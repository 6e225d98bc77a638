/** A holder of past states that can keep fewer of them. */
export interface Holder {
  readonly heldBytes: number
  /** Drops a part and reports it to the budget. */
  shrink(): void
}

/**
 * One bound in bytes over many holders. When it is exceeded, the largest holder shrinks: a resource with large or fast-changing objects
 * shortens its own history and no other.
 */
export class MemoryBudget {
  readonly #maxBytes: number
  readonly #holders = new Set<Holder>()
  #heldBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The bytes of all holders. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  join(holder: Holder): void {
    this.#holders.add(holder)
  }

  /** Records that a holder grew, or shrank, by this many bytes. */
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
