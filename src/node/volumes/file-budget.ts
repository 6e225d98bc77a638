/** The limit of all simulated files of a process, which may have thousands of containers. */
const MOST_BYTES = 512 << 20

/** One budget for all file trees that programs may write to: many pods together must not exhaust the memory. */
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

  /** Takes bytes for a tree, or returns them if negative; false: the budget is exhausted. */
  take(tree: object, bytes: number): boolean {
    if (bytes > 0 && this.#heldBytes + bytes > this.#mostBytes) return false
    const before = this.#held.get(tree) ?? 0
    const held = Math.max(0, before + bytes)
    this.#held.set(tree, held)
    this.#heldBytes += held - before
    return true
  }

  /** Returns the bytes of a removed tree. */
  forget(tree: object): void {
    this.#heldBytes -= this.#held.get(tree) ?? 0
    this.#held.delete(tree)
  }
}
