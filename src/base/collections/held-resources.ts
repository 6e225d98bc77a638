/**
 * Resources that are disposed of in reverse order, all of them, even if some of it fails. (`AsyncDisposableStack`, which
 * not every Node has that we run on.)
 */
export class HeldResources implements AsyncDisposable {
  #release: (() => unknown)[] = []

  /** Owns a resource from now on. */
  use<T extends AsyncDisposable>(resource: T): T {
    this.#release.push(() => resource[Symbol.asyncDispose]())
    return resource
  }

  /** Calls `release` on disposal. */
  defer(release: () => unknown): void {
    this.#release.push(release)
  }

  /** Moves ownership to the returned object; this one owns nothing any longer. */
  move(): HeldResources {
    const moved = new HeldResources()
    moved.#release = this.#release
    this.#release = []
    return moved
  }

  /** Rejects with the first failure after everything was released. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = []
    for (const release of this.#release.splice(0).reverse()) {
      try {
        await release()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
