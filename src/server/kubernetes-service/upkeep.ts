import type { Clock } from '../../base/clock.ts'
import { pause } from '../../base/pause.ts'

/** What a server writes about itself, as long as it runs. */
export interface Upkeep {
  /** Writes what is missing. Failures are logged, and `run` tries again. */
  sync(): Promise<void>
  /** Calls `sync` every ten seconds until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
  /** Removes what the server wrote, before it stops. Failures are logged. */
  leave(): Promise<void>
}

/** As in kube-apiserver. */
const INTERVAL_MS = 10_000

export function upkeepOf({ sync, leave }: Pick<Upkeep, 'sync' | 'leave'>, clock: Clock): Upkeep {
  return {
    sync,
    leave,
    async run(signal) {
      for (;;) {
        await pause(clock, INTERVAL_MS, signal, 'heartbeat')
        if (signal.aborted) return
        await sync()
      }
    },
  }
}

/** Several of them, side by side. */
export function joinedUpkeep(all: readonly Pick<Upkeep, 'sync' | 'leave'>[], clock: Clock): Upkeep {
  const each = (act: (one: Pick<Upkeep, 'sync' | 'leave'>) => Promise<void>) => async () => void (await Promise.all(all.map(act)))
  return upkeepOf({ sync: each((one) => one.sync()), leave: each((one) => one.leave()) }, clock)
}
