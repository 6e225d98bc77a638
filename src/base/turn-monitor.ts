import { systemClock } from './clock.ts'

/** How long the event loop was kept from turning, since the monitor was made or reset. */
export interface TurnMonitor extends Disposable {
  /** The longest turn on the wall clock, in milliseconds: what others waited, also because the machine was busy with other processes. */
  readonly longestMs: number
  /** The longest turn in processor time of this thread: what it worked. As `longestMs` where Node cannot tell (before 23.9). */
  readonly longestCpuMs: number
  /** How many turns were longer than 100 ms. */
  readonly long: number
  reset(): void
}

/** A look at the clocks every so often; a turn is known but for so much. */
const LOOK_MS = 20
const LONG_MS = 100

interface CpuUsage {
  readonly user: number
  readonly system: number
}

/** Begins to measure. The timer does not keep the process alive, and costs some hundred microseconds a second. */
export function monitorTurns(): TurnMonitor {
  const cpu = (process as { threadCpuUsage?: () => CpuUsage }).threadCpuUsage?.bind(process)
  const cpuMs = () => {
    const used = cpu?.()
    return used === undefined ? systemClock.monotonic() : (used.user + used.system) / 1000
  }
  let wall = systemClock.monotonic()
  let worked = cpuMs()
  let longestMs = 0
  let longestCpuMs = 0
  let long = 0
  const look = () => {
    const now = systemClock.monotonic()
    const workedNow = cpuMs()
    const turn = now - wall - LOOK_MS
    longestMs = Math.max(longestMs, turn)
    // Short turns between two looks add up to no more than the time between them.
    longestCpuMs = Math.max(longestCpuMs, Math.min(turn, workedNow - worked))
    if (turn > LONG_MS) long++
    wall = now
    worked = workedNow
  }
  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  return {
    get longestMs() {
      return longestMs
    },
    get longestCpuMs() {
      return longestCpuMs
    },
    get long() {
      return long
    },
    reset() {
      longestMs = 0
      longestCpuMs = 0
      long = 0
      wall = systemClock.monotonic()
      worked = cpuMs()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
