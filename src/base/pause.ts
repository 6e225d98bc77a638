import type { Clock } from './clock.ts'
import type { TimerKind } from './timer-kind.ts'

/**
 * Sleeps, until the signal is aborted at most. Never rejects: the loop that calls it looks at the signal itself.
 *
 * ```ts
 * while (!signal.aborted) {
 *   await look()
 *   await pause(clock, 5_000, signal)
 * }
 * ```
 */
export const pause = (clock: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal, kind?: TimerKind): Promise<void> =>
  clock.sleep(ms, signal, kind).catch(() => {})

/** Does something again and again, with pauses of that length before each time, until the signal is aborted. Rejects as `work` does. */
export async function repeat(clock: Clock, everyMs: number, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(clock, everyMs, signal)
    if (!signal.aborted) await work()
  }
}
