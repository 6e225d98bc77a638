/** Stops something that was scheduled; calling it twice is harmless. */
export type Cancel = () => void

/** The only source of time. Nothing outside `base/` reads the wall clock or sets a timer. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds on a clock that never goes back; for measuring spans. */
  monotonic(): number
  /** Calls `fn` once after `delayMs` (not before). The timer does not keep the process alive. */
  after(delayMs: number, fn: () => void): Cancel
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

function sleepOn(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, fn) {
    const timer = setTimeout(fn, Math.min(delayMs, 0x7fffffff))
    timer.unref()
    return () => clearTimeout(timer)
  },
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, signal),
}

/** A clock that stands still until `advance` is called; timers fire in order of their time, then of their making. */
export class VirtualClock implements Clock {
  #now: number
  #serial = 0
  readonly #timers = new Map<number, { at: number; serial: number; fn: () => void }>()

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  after(delayMs: number, fn: () => void): Cancel {
    const serial = this.#serial++
    this.#timers.set(serial, { at: this.#now + Math.max(0, delayMs), serial, fn })
    return () => this.#timers.delete(serial)
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }

  /** Moves time on by `spanMs`, firing what falls due; between two timers, promises get a turn to settle. */
  async advance(spanMs: number): Promise<void> {
    const end = this.#now + spanMs
    for (;;) {
      await settle()
      const next = this.#earliest(end)
      if (next === undefined) break
      this.#timers.delete(next.serial)
      this.#now = Math.max(this.#now, next.at)
      next.fn()
    }
    this.#now = end
    await settle()
  }

  #earliest(end: number) {
    let best: { at: number; serial: number; fn: () => void } | undefined
    for (const t of this.#timers.values()) {
      if (t.at <= end && (best === undefined || t.at < best.at || (t.at === best.at && t.serial < best.serial))) best = t
    }
    return best
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Kubernetes' `metav1.Time` text: RFC 3339 in UTC with whole seconds. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== latest.second) latest = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` }
  return latest.text
}

/** Most timestamps of a second are the same. */
let latest = { second: Number.NaN, text: '' }

/** Kubernetes' `metav1.MicroTime` text: RFC 3339 in UTC with six decimals. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`
}

/** Keeps the process alive until it is cancelled: for what must not end although it only waits for timers. */
export function keepAlive(): Cancel {
  const timer = setInterval(() => {}, 0x7fffffff)
  return () => clearInterval(timer)
}
