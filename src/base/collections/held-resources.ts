/**
 * What was opened one after the other, and is let go in reverse order: all of it, whatever fails on the way. (`AsyncDisposableStack`, which
 * not every Node has that we run on.)
 */
export class HeldResources implements AsyncDisposable {
  #release: (() => unknown)[] = []

  /** Holds a resource from now on. */
  use<T extends AsyncDisposable>(resource: T): T {
    this.#release.push(() => resource[Symbol.asyncDispose]())
    return resource
  }

  /** Calls `release` when the time has come. */
  defer(release: () => unknown): void {
    this.#release.push(release)
  }

  /** Hands everything over to the caller's care; this one holds nothing any longer. */
  move(): HeldResources {
    const moved = new HeldResources()
    moved.#release = this.#release
    this.#release = []
    return moved
  }

  /** Rejects with what failed first, when all is done. */
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
