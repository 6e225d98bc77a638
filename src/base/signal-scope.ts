/**
 * Many signals under one. A signal looks through all its listeners whenever one is added or removed; where thousands of things live under
 * the same signal, each gets one of its own here, and the parent has a single listener.
 */
export class SignalScope {
  readonly #parent: AbortSignal
  readonly #open = new Set<AbortController>()
  readonly #abort = () => {
    for (const one of this.#open) one.abort(this.#parent.reason)
    this.#open.clear()
  }

  constructor(parent: AbortSignal) {
    this.#parent = parent
    parent.addEventListener('abort', this.#abort, { once: true })
  }

  /** The parent. */
  get signal(): AbortSignal {
    return this.#parent
  }

  /** A signal that is aborted with the parent. `close` forgets it without aborting it. */
  open(): { readonly signal: AbortSignal; close(): void } {
    const one = new AbortController()
    if (this.#parent.aborted) one.abort(this.#parent.reason)
    else this.#open.add(one)
    return { signal: one.signal, close: () => this.#open.delete(one) }
  }

  /** Lets go of the parent. */
  close(): void {
    this.#parent.removeEventListener('abort', this.#abort)
    this.#open.clear()
  }
}
