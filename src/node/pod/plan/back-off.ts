/** Kubernetes doubles the back-off of a restart or a pull from 10 s to 5 min, and resets it after 10 min without another failure. */
export const BACK_OFF = { firstMs: 10_000, maxMs: 300_000, forgetMs: 600_000 } as const

/** How long a pod waits for its next sync, given when that is due: the kubelet adds up to half by chance, this adds the middle. */
export const withJitter = (ms: number): number => ms * 1.25

/** The back-offs of what failed, by key. */
export class BackOff {
  /** Undefined while nothing has failed, which is the most common case. */
  #entries: Map<string, { delayMs: number; atMs: number }> | undefined

  /** Whether nothing has failed. */
  get isEmpty(): boolean {
    return this.#entries === undefined
  }

  /** The current back-off, counted from `sinceMs`; undefined if a new attempt is allowed now. */
  waiting(key: string, sinceMs: number, nowMs: number): { readonly delayMs: number; readonly untilMs: number } | undefined {
    const entry = this.#entries?.get(key)
    if (entry === undefined || sinceMs - entry.atMs > BACK_OFF.forgetMs) return undefined
    const untilMs = sinceMs + entry.delayMs
    return nowMs < untilMs ? { delayMs: entry.delayMs, untilMs } : undefined
  }

  /** When the back-off was last lengthened. */
  lastMs(key: string): number | undefined {
    return this.#entries?.get(key)?.atMs
  }

  /** Records an attempt: if it fails, the next back-off is longer. */
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
