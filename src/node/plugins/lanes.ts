/**
 * Work that needs several keys, each of which one piece of work at a time may have. Who comes first goes first on each key; different
 * keys do not wait for each other.
 */
export class Lanes {
  readonly #tails = new Map<string, Promise<void>>()

  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = Promise.all(keys.map((key) => this.#tails.get(key)))
    let leave = () => {}
    const own = new Promise<void>((resolve) => {
      leave = resolve
    })
    const mine = before.then(() => own)
    for (const key of keys) this.#tails.set(key, mine)
    try {
      await before
      return await work()
    } finally {
      leave()
      for (const key of keys) if (this.#tails.get(key) === mine) this.#tails.delete(key)
    }
  }
}
