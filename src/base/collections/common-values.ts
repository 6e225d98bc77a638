/** What is longer as JSON is not compared with others. */
const LONGEST = 4096

/**
 * Interns equal values: the same object for all callers. Values are plain data and must not be changed; so many different ones are kept,
 * then all are dropped (their holders keep them).
 */
export class CommonValues {
  readonly #most: number
  readonly #known = new Map<string, unknown>()

  constructor(most = 1024) {
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  /** The first that was like it, or itself. */
  of<T extends object | string>(value: T): T {
    const text = JSON.stringify(value)
    if (text.length > LONGEST) return value
    const known = this.#known.get(text)
    if (known !== undefined) return known as T
    if (this.#known.size >= this.#most) this.#known.clear()
    this.#known.set(text, value)
    return value
  }
}
