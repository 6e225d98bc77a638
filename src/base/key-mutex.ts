/** A mutex for each key. Calls get a key in their order; no work begins before the call that brings it has returned. */
export class KeyMutex {
  /** The last work of each key that has not ended. */
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs the work as soon as it has all of these keys. Resolves and rejects as the work does. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const done = Promise.allSettled(keys.map((key) => this.#last.get(key))).then(work)
    for (const key of keys) this.#last.set(key, done)
    try {
      return await done
    } finally {
      for (const key of keys) if (this.#last.get(key) === done) this.#last.delete(key)
    }
  }

  /** Resolves when all work has ended, however it did. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values())
  }
}
