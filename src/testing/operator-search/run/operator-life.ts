import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Random } from '../../../base/random.ts'
import type { Client, Transport } from '../../../sdk/client/client.ts'

/** What an operator in this process gets for one of its runs. It must use nothing else, and no time but this clock's. */
export interface OperatorLife {
  readonly client: Client
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  /** Aborted when the run is over. From then on no call reaches the cluster, and no timer fires. */
  readonly signal: AbortSignal
}

/** An operator in this process. It resolves when the signal is aborted; an earlier end, or a rejection, is a crash. */
export type InProcessOperator = (life: OperatorLife) => Promise<void>

/** A clock whose timers end with the signal, as those of a process do that was killed. */
export function mortalClock(clock: Clock, signal: AbortSignal): Clock {
  const after = (delayMs: number, fn: () => void): Cancel =>
    clock.after(delayMs, () => {
      if (!signal.aborted) fn()
    })
  const sleep = (delayMs: number, own?: AbortSignal) => clock.sleep(delayMs, own === undefined ? signal : AbortSignal.any([own, signal]))
  return { now: () => clock.now(), monotonic: () => clock.monotonic(), busy: (what) => clock.busy(what), after, sleep }
}
