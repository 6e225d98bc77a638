import os from 'node:os'
import { systemClock, type VirtualClock } from '../../../../base/clock.ts'
import type { Target } from '../../../../machinery/api-call.ts'
import type { OperatorProgram } from '../../../operator-trial/program/operator-process.ts'
import type { OperatorHost } from '../operator-host.ts'
import { ProgramRun } from './program-run.ts'

/** Virtual time passes in pieces, so that a program reacts to what happened in one before the next. They grow while nothing reaches it. */
const FIRST_PIECE_MS = 500
/** Real time in which an event of the cluster reaches the proxy, which is in this process. */
const DELIVERY_MS = 2

/** A run mostly waits: twice as many as there are processors. */
const MOST_AT_A_TIME = Math.min(8, 2 * os.availableParallelism())

/** Runs an operator that is a program, in any language. Its own timers are real; the time of its cluster passes only while it waits. */
export function programHost(program: OperatorProgram): OperatorHost {
  const leases = new Map<string, Target>()
  const runs = new WeakMap<VirtualClock, ProgramRun>()
  let atATime = 1
  return {
    get atATime() {
      return atATime
    },
    start(deps) {
      const run = new ProgramRun(program, deps, leases)
      // Another run could not have its ports.
      void run.served.then((serves) => {
        atATime = serves ? 1 : MOST_AT_A_TIME
      })
      runs.set(deps.clock, run)
      return run
    },
    async pass(clock, spanMs) {
      const endMs = clock.now() + spanMs
      for (let pieceMs = FIRST_PIECE_MS; ; pieceMs *= 2) {
        const worked = await runs.get(clock)?.idle()
        if (clock.now() >= endMs) return
        if (worked === true) pieceMs = FIRST_PIECE_MS
        await clock.advance(Math.min(pieceMs, endMs - clock.now()))
        await systemClock.sleep(DELIVERY_MS)
      }
    },
  }
}
