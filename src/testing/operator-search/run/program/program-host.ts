import os from 'node:os'
import type { VirtualClock } from '../../../../base/clock.ts'
import type { OperatorProgram } from '../../../operator-trial/program/operator-process.ts'
import type { OperatorHost } from '../operator-host.ts'
import { delivery } from './delivery.ts'
import { ProgramRun, type SharedByRuns } from './program-run.ts'

/** Virtual time passes in pieces, so that a program reacts to what happened in one before the next. They grow while nothing reaches it. */
const FIRST_PIECE_MS = 500
/** A run mostly waits: twice as many as there are processors. */
const MOST_AT_A_TIME = Math.min(8, 2 * os.availableParallelism())

/** Runs an operator that is a program, in any language. Its own timers are real; the time of its cluster passes only while it waits. */
export function programHost(program: OperatorProgram): OperatorHost {
  const shared: SharedByRuns = { leases: new Map() }
  const runs = new WeakMap<VirtualClock, ProgramRun>()
  return {
    get atATime() {
      return shared.serves === false ? MOST_AT_A_TIME : 1
    },
    start(deps) {
      const run = new ProgramRun(program, deps, shared)
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
        await delivery()
      }
    },
  }
}
