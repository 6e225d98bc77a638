/** As much as the files of all simulated containers may hold, in a process that may have thousands of them. */
const MOST_BYTES = 512 << 20

/** One budget for all trees of files that programs of containers may write into: many pods together must not fill the memory. */
export class FileBudget {
  readonly #mostBytes: number
  readonly #held = new Map<object, number>()
  #heldBytes = 0

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Takes bytes for a tree, or gives them back when they are negative; false: there are no more. */
  take(tree: object, bytes: number): boolean {
    if (bytes > 0 && this.#heldBytes + bytes > this.#mostBytes) return false
    const before = this.#held.get(tree) ?? 0
    const held = Math.max(0, before + bytes)
    this.#held.set(tree, held)
    this.#heldBytes += held - before
    return true
  }

  /** A tree is not there any more. */
  forget(tree: object): void {
    this.#heldBytes -= this.#held.get(tree) ?? 0
    this.#held.delete(tree)
  }
}
