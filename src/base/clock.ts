import { Heap } from './collections/heap.ts'
import { offAbort, onAbort } from './on-abort.ts'
import { Signal } from './signal.ts'
import type { TimerKind } from './timer-kind.ts'
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
  after(delayMs: number, fn: () => void, kind?: TimerKind): Cancel
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void>
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

function sleepOn(clock: Clock, delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(
      delayMs,
      () => {
        offAbort(signal, stop)
        resolve()
      },
      kind,
    )
    onAbort(signal, stop)
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
      timer = leftMs > LONGEST_MS ? setTimeout(() => arm(leftMs - LONGEST_MS), LONGEST_MS) : setTimeout(fn, Math.max(0, leftMs))
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
  at: number
  readonly serial: number
  readonly fn: () => void
  readonly kind: TimerKind | undefined
  cancelled: boolean
}

/** So long after an event, what repeats is played: what follows from a change, such as a silent node, is seen in its own time. */
const PLAYED_AFTER_MS = 90_000
/** And so long before the next thing that is due. */
const PLAYED_BEFORE_MS = 20_000
/** What was left out is made up for within this time. */
const MADE_UP_MS = 15_000
/** Steps over routine are whole minutes, so that the phases of short periods stay. */
const STEP_MS = 60_000

/** How patient virtual time is with what is real. */
export interface VirtualClockOptions {
  /**
   * How long, in milliseconds of real time, the clock waits for work that has reported to be busy. Later it does not wait any more: a
   * foreign server that hangs must not block the time limit of its own call. Default 5,000.
   */
  readonly patienceMs?: number
  /** Called with the work that was not waited for; from then on the run is not reproducible. */
  readonly onImpatience?: (busy: readonly string[]) => void
  /** Plays every heartbeat and every periodic look, also where nothing else is due for long. Default false. */
  readonly everyRoutine?: boolean
}

/**
 * A clock that moves only when `advance` is called. Timers fire in order of their time, those of one instant in order of their creation.
 * Before the next instant, `advance` waits until everything that they started is idle, and work that reported to be `busy` has ended.
 *
 * Where only repetitions are due for minutes (heartbeats, periodic looks), each is played once instead: an hour in which nothing
 * happens is one step. Heartbeats are left out also around `work`.
 */
export class VirtualClock implements Clock {
  readonly #options: VirtualClockOptions
  readonly #timers = new Heap<Timer>(isBefore)
  /** Those that do not repeat. */
  readonly #events = new Heap<Timer>(isBefore)
  /** Those that may stop a heartbeat. */
  readonly #surprises = new Heap<Timer>(isBefore)
  /** Heartbeats that were due and are made up for before the next surprise, in order. */
  #leftOut: Timer[] = []
  readonly #busy = new Set<{ readonly what: string }>()
  readonly #released = new Signal()
  #now: number
  #serial = 0
  #eventMs: number
  #surpriseMs: number

  /** Begins at `startMs`, milliseconds since 1970. Default: the first of January 2026, UTC. */
  constructor(startMs = Date.UTC(2026, 0, 1), options: VirtualClockOptions = {}) {
    this.#now = startMs
    this.#eventMs = startMs
    this.#surpriseMs = startMs
    this.#options = options
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  after(delayMs: number, fn: () => void, kind?: TimerKind): Cancel {
    const timer: Timer = { at: this.#now + Math.max(0, delayMs), serial: this.#serial++, fn, kind, cancelled: false }
    this.#timers.push(timer)
    if (!repeats(timer)) this.#events.push(timer)
    if (kind === undefined) this.#surprises.push(timer)
    return () => {
      timer.cancelled = true
      this.#remove(timer)
    }
  }

  sleep(delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void> {
    return sleepOn(this, delayMs, signal, kind)
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
    this.#eventMs = this.#now
    this.#surpriseMs = this.#now
    await this.settle()
    for (;;) {
      if (this.#makeUp(end)) continue
      const first = this.#timers.peek()
      if (first === undefined || first.at > end) break
      if (this.#stepOver(end)) continue
      this.#now = Math.max(this.#now, first.at)
      if (this.#fire(end)) await this.settle()
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

  /** Fires what is due, without heartbeats where no surprise is near; false: there was nothing else. */
  #fire(end: number): boolean {
    const sinceMs = this.#now - this.#surpriseMs
    const near = sinceMs < PLAYED_AFTER_MS || this.#nextSurpriseMs(end) - this.#now <= PLAYED_BEFORE_MS
    const all = near || this.#options.everyRoutine === true
    let fired = false
    for (const timer of this.#due()) {
      if (timer.cancelled) continue
      if (!all && timer.kind === 'heartbeat') this.#leftOut.push(timer)
      else timer.fn()
      fired ||= all || timer.kind !== 'heartbeat'
    }
    return fired
  }

  /** Shortly before the next surprise, heartbeats that were left out fall due; false: there are none, or it is too early. */
  #makeUp(end: number): boolean {
    const surpriseMs = this.#nextSurpriseMs(end)
    const fromMs = Math.max(this.#now, surpriseMs - PLAYED_BEFORE_MS)
    if (this.#leftOut.length === 0 || (this.#timers.peek()?.at ?? end) < fromMs) return false
    this.#now = fromMs
    this.#postpone(this.#leftOut.splice(0), surpriseMs)
    return true
  }

  #nextSurpriseMs(end: number): number {
    return Math.min(end, this.#surprises.peek()?.at ?? end)
  }

  /** Lets timers fall due again from now on, in the same order, until `endMs` at most. */
  #postpone(timers: readonly Timer[], endMs = Number.POSITIVE_INFINITY): void {
    const fromMs = timers[0]?.at ?? 0
    let late = 0
    for (const timer of timers.filter(({ cancelled }) => !cancelled)) {
      const offsetMs = timer.at - fromMs
      timer.at = Math.min(endMs, this.#now + (offsetMs < MADE_UP_MS ? offsetMs : MADE_UP_MS + late++))
      this.#timers.push(timer)
    }
  }

  /** Steps over repetitions that are due before the next event; false: there are too few of them. */
  #stepOver(end: number): boolean {
    const eventMs = Math.min(end, this.#events.peek()?.at ?? end)
    const stepMs = Math.floor((eventMs - PLAYED_BEFORE_MS - this.#now) / STEP_MS) * STEP_MS
    if (stepMs <= 0 || this.#now < this.#eventMs + PLAYED_AFTER_MS || this.#options.everyRoutine === true) return false
    this.#now += stepMs
    // What was due later comes later, so that the end of a watch is seen before the client's limit for it.
    this.#postpone(this.#due(this.#now - 1))
    return true
  }

  #remove(timer: Timer): void {
    this.#timers.delete(timer)
    if (!repeats(timer)) this.#events.delete(timer)
    if (timer.kind === undefined) this.#surprises.delete(timer)
  }

  #due(untilMs = this.#now): Timer[] {
    const due: Timer[] = []
    for (let t = this.#timers.peek(); t !== undefined && t.at <= untilMs; t = this.#timers.peek()) {
      this.#remove(t)
      due.push(t)
      if (!repeats(t)) this.#eventMs = this.#now
      if (t.kind === undefined) this.#surpriseMs = this.#now
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

const repeats = ({ kind }: Timer) => kind === 'heartbeat' || kind === 'routine'

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.serial < b.serial)
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
