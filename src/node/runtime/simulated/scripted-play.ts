import type { Cancel, Clock } from '../../../base/clock.ts'
import { endOfMessage } from '../termination-message.ts'
import type { Behaviour } from './behaviour.ts'
import type { Play, SimulatedExit } from './play.ts'

/** A scripted main process: it ends when its time is over, or on SIGTERM. */
export class ScriptedPlay implements Play {
  readonly #behaviour: Behaviour
  readonly #clock: Clock
  #end: ((exit: SimulatedExit) => void) | undefined
  #cancels: Cancel[] | undefined

  constructor(behaviour: Behaviour, clock: Clock) {
    this.#behaviour = behaviour
    this.#clock = clock
  }

  begin(ended: (exit: SimulatedExit) => void): void {
    this.#end = ended
    const { runMs, exitCode = 0 } = this.#behaviour
    if (runMs !== undefined && Number.isFinite(runMs)) this.#exitAfter(runMs, exitCode)
  }

  ask(): void {
    const { onStop = {} } = this.#behaviour
    if (onStop === 'ignore') return
    const { afterMs = 0, exitCode = 143 } = onStop
    this.#exitAfter(afterMs, exitCode)
  }

  kill(exitCode: number): void {
    for (const cancel of this.#cancels ?? []) cancel()
    this.#cancels = undefined
    const { reason = exitCode === 0 ? 'Completed' : 'Error', message } = this.#behaviour
    this.#end?.({ exitCode, ...(reason !== '' && { reason }), ...(message !== undefined && { message: endOfMessage(message) }) })
    this.#end = undefined
  }

  #exitAfter(delayMs: number, exitCode: number): void {
    if (delayMs === 0) {
      this.kill(exitCode)
      return
    }
    this.#cancels ??= []
    this.#cancels.push(this.#clock.after(delayMs, () => this.kill(exitCode)))
  }
}
