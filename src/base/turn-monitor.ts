import { systemClock } from './clock.ts'

/** How long the event loop was kept from turning, since the monitor was made or reset. */
export interface TurnMonitor extends Disposable {
  /** The longest turn on the wall clock, in milliseconds: what others waited, also because the machine was busy with other processes. */
  readonly longestMs: number
  /** The longest turn in CPU time of this thread. Equal to `longestMs` if Node cannot measure it (before 23.9). */
  readonly longestCpuMs: number
  /** How many turns were longer than 100 ms. */
  readonly long: number
  reset(): void
}

/** Two clocks, in milliseconds from any beginning. */
export interface TurnClocks {
  /** The wall clock. */
  readonly wallMs: number
  /** Processor time that this thread has used. */
  readonly cpuMs: number
}

/** The interval of looks at the clocks: the error of what is measured. */
const LOOK_MS = 20
const LONG_MS = 100

interface CpuUsage {
  readonly user: number
  readonly system: number
}

/** Begins to measure. The timer does not keep the process alive, and costs some hundred microseconds a second. */
export function monitorTurns(): TurnMonitor {
  const record = new TurnRecord(clocksOfThread)
  const timer = setInterval(() => record.look(), LOOK_MS)
  timer.unref()
  return Object.assign(record, { [Symbol.dispose]: () => clearInterval(timer) })
}

const cpuUsage = (process as { threadCpuUsage?: () => CpuUsage }).threadCpuUsage?.bind(process)

function clocksOfThread(): TurnClocks {
  const wallMs = systemClock.monotonic()
  const used = cpuUsage?.()
  return { wallMs, cpuMs: used === undefined ? wallMs : (used.user + used.system) / 1000 }
}

/** The longest turns between looks that should be `LOOK_MS` apart. */
export class TurnRecord {
  longestMs = 0
  longestCpuMs = 0
  long = 0
  readonly #clocks: () => TurnClocks
  #last: TurnClocks

  constructor(clocks: () => TurnClocks) {
    this.#clocks = clocks
    this.#last = clocks()
  }

  /** To be called every `LOOK_MS`; what a call is late by is a turn that took long. */
  look(): void {
    const now = this.#clocks()
    const turnMs = now.wallMs - this.#last.wallMs - LOOK_MS
    this.longestMs = Math.max(this.longestMs, turnMs)
    // Short turns between two measurements add up to no more than the time between them.
    this.longestCpuMs = Math.max(this.longestCpuMs, Math.min(turnMs, now.cpuMs - this.#last.cpuMs))
    if (turnMs > LONG_MS) this.long++
    this.#last = now
  }

  reset(): void {
    this.longestMs = 0
    this.longestCpuMs = 0
    this.long = 0
    this.#last = this.#clocks()
  }
}
