/** Kubernetes doubles the wait before a restart or a pull from 10 s to 5 min, and forgets it after 10 min without another failure. */
export const BACK_OFF = { firstMs: 10_000, maxMs: 300_000, forgetMs: 600_000 } as const

/** How long things that failed have to wait, by key. */
export class BackOff {
  /** Most pods never fail. */
  #entries: Map<string, { delayMs: number; atMs: number }> | undefined

  /** Nothing has failed. */
  get isEmpty(): boolean {
    return this.#entries === undefined
  }

  /** The wait that is on, counted from `sinceMs`; undefined when it may be tried now. */
  waiting(key: string, sinceMs: number, nowMs: number): { readonly delayMs: number; readonly untilMs: number } | undefined {
    const entry = this.#entries?.get(key)
    if (entry === undefined || sinceMs - entry.atMs > BACK_OFF.forgetMs) return undefined
    const untilMs = sinceMs + entry.delayMs
    return nowMs < untilMs ? { delayMs: entry.delayMs, untilMs } : undefined
  }

  /** When the wait was last lengthened. */
  lastMs(key: string): number | undefined {
    return this.#entries?.get(key)?.atMs
  }

  /** It is tried now: should it fail, the next wait is longer. */
  next(key: string, sinceMs: number, nowMs: number): void {
    this.#entries ??= new Map()
    const entry = this.#entries.get(key)
    const again = entry !== undefined && sinceMs - entry.atMs <= BACK_OFF.forgetMs
    this.#entries.set(key, { delayMs: again ? Math.min(entry.delayMs * 2, BACK_OFF.maxMs) : BACK_OFF.firstMs, atMs: nowMs })
  }

  clear(): void {
    this.#entries = undefined
  }
}
