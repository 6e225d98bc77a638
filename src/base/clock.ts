import { Heap } from './collections/heap.ts'
import { Signal } from './signal.ts'
import { giveUncountedTurn, pendingTurns } from './turns.ts'

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
  /**
   * Announces work that no timer of this clock represents: a module that is being loaded, a disk, a socket. A virtual clock does not move
   * until the returned function is called. `what` is named when that takes too long.
   */
  busy(what: string): Cancel
}

/** Waits for `work` while the clock knows of it: see `Clock.busy`. */
export async function holding<T>(clock: Clock, what: string, work: () => Promise<T>): Promise<T> {
  const release = clock.busy(what)
  try {
    return await work()
  } finally {
    release()
  }
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
    let timer: NodeJS.Timeout
    // What a timer of the machine can hold is 24.8 days: longer waits are made of several.
    const arm = (leftMs: number) => {
      timer = leftMs > LONGEST_MS ? setTimeout(() => arm(leftMs - LONGEST_MS), LONGEST_MS) : setTimeout(fn, leftMs)
      timer.unref()
    }
    arm(delayMs)
    return () => clearTimeout(timer)
  },
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, signal),
  busy: () => nothing,
}

const LONGEST_MS = 0x7fffffff
const nothing = () => {}

interface Timer {
  readonly at: number
  readonly serial: number
  readonly fn: () => void
  cancelled: boolean
}

/** How patient virtual time is with what is real. */
export interface VirtualClockOptions {
  /**
   * How long, in milliseconds of real time, the clock waits for work that has reported to be busy. Later it does not wait any more: a
   * foreign server that hangs must not block the time limit of its own call. Default 5,000.
   */
  readonly patienceMs?: number
  /** Called with the work that was not waited for; from then on the run is not reproducible. */
  readonly onImpatience?: (busy: readonly string[]) => void
}

/**
 * A clock that moves only when `advance` is called. Timers fire in order of their time, those of one instant in order of their creation.
 * Before the next instant, `advance` waits until everything that they started is idle, and work that reported to be `busy` has ended.
 */
export class VirtualClock implements Clock {
  readonly #options: VirtualClockOptions
  readonly #timers = new Heap<Timer>((a, b) => a.at < b.at || (a.at === b.at && a.serial < b.serial))
  readonly #busy = new Set<{ readonly what: string }>()
  readonly #released = new Signal()
  #now: number
  #serial = 0

  /** Begins at `startMs`, milliseconds since 1970. Default: the first of January 2026, UTC. */
  constructor(startMs = Date.UTC(2026, 0, 1), options: VirtualClockOptions = {}) {
    this.#now = startMs
    this.#options = options
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  after(delayMs: number, fn: () => void): Cancel {
    const timer: Timer = { at: this.#now + Math.max(0, delayMs), serial: this.#serial++, fn, cancelled: false }
    this.#timers.push(timer)
    return () => {
      timer.cancelled = true
      this.#timers.delete(timer)
    }
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }

  busy(what: string): Cancel {
    const hold = { what }
    this.#busy.add(hold)
    return () => {
      this.#busy.delete(hold)
      if (this.#busy.size === 0) this.#released.raise()
    }
  }

  /** Moves time on by `spanMs`, firing what falls due. */
  async advance(spanMs: number): Promise<void> {
    const end = this.#now + spanMs
    await this.settle()
    for (let first = this.#timers.peek(); first !== undefined && first.at <= end; first = this.#timers.peek()) {
      this.#now = Math.max(this.#now, first.at)
      for (const timer of this.#due()) if (!timer.cancelled) timer.fn()
      await this.settle()
    }
    this.#now = end
  }

  /** Resolves when nothing runs any more but what waits for time. */
  async settle(): Promise<void> {
    do {
      await giveUncountedTurn()
      if (this.#busy.size > 0) await this.#rest()
    } while (pendingTurns() > 0 || this.#busy.size > 0)
  }

  #due(): Timer[] {
    const due: Timer[] = []
    for (let t = this.#timers.peek(); t !== undefined && t.at <= this.#now; t = this.#timers.peek()) {
      this.#timers.delete(t)
      due.push(t)
    }
    return due
  }

  async #rest(): Promise<void> {
    const done = keepAlive()
    const untilMs = systemClock.now() + (this.#options.patienceMs ?? 5000)
    this.#released.lower()
    const woken = await this.#released.wait({ clock: systemClock, untilMs })
    done()
    if (woken !== 'late') return
    this.#options.onImpatience?.([...this.#busy].map((hold) => hold.what))
    this.#busy.clear()
  }
}

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
