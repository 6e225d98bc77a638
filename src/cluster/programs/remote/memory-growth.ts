/** What is left of a container's growth after each sample: of ten samples a second, half is gone after three. */
const KEPT = 0.98
/** Less is not remembered. */
const LEAST_BYTES = 64 * 1024

/**
 * Which container made the memory of a process grow lately, found by samples: what has grown since the last one is laid to the container
 * whose program went on last.
 */
export class MemoryGrowth {
  readonly #grown = new Map<number, number>()
  #bytes: number

  /** `bytes`: the process's memory now. */
  constructor(bytes: number) {
    this.#bytes = bytes
  }

  sample(container: number, bytes: number): void {
    for (const [one, grown] of this.#grown)
      if (grown < LEAST_BYTES) this.#grown.delete(one)
      else this.#grown.set(one, grown * KEPT)
    if (bytes > this.#bytes) this.#grown.set(container, (this.#grown.get(container) ?? 0) + bytes - this.#bytes)
    this.#bytes = bytes
  }

  /** The container that has grown most; undefined: none has. */
  most(): number | undefined {
    let most: number | undefined
    for (const [container, grown] of this.#grown) if (grown > (this.#grown.get(most ?? -1) ?? 0)) most = container
    return most
  }
}
