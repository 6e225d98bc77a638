import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Behaviour } from './behaviour.ts'
import type { Play, SimulatedExit } from './play.ts'

/** Plays what a script says: it ends when its time is over, or when it is asked to. */
export function scriptedPlay(behaviour: Behaviour, clock: Clock): Play {
  const cancels: Cancel[] = []
  let end: (exit: SimulatedExit) => void = () => {}
  const exit = (exitCode: number): SimulatedExit => {
    const { reason = exitCode === 0 ? 'Completed' : 'Error', message } = behaviour
    return { exitCode, ...(reason !== '' && { reason }), ...(message !== undefined && { message }) }
  }
  return {
    begin(ended) {
      end = ended
      const { runMs, exitCode = 0 } = behaviour
      if (runMs === 0) end(exit(exitCode))
      else if (runMs !== undefined && Number.isFinite(runMs)) cancels.push(clock.after(runMs, () => end(exit(exitCode))))
    },
    ask() {
      const { onStop = {} } = behaviour
      if (onStop === 'ignore') return
      const { afterMs = 0, exitCode = 143 } = onStop
      if (afterMs === 0) end(exit(exitCode))
      else cancels.push(clock.after(afterMs, () => end(exit(exitCode))))
    },
    over() {
      for (const cancel of cancels) cancel()
    },
    killed: exit,
  }
}
