/**
 * A mutual exclusion by keys: work that needs several keys waits until it has all of them. Each key is granted in order of arrival;
 * different keys do not block each other.
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
