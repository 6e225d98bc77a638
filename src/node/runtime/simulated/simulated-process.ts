import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Behaviour } from './behaviour.ts'

export interface SimulatedExit {
  readonly exitCode: number
  readonly reason?: string
  readonly message?: string
}

/** What runs in a simulated container: it ends when its time is over, or when it is asked to. */
export class SimulatedProcess {
  readonly #behaviour: Behaviour
  readonly #clock: Clock
  readonly #ended: (exit: SimulatedExit) => void
  #over = false
  #cancelRun: Cancel = () => {}
  #cancelStop: Cancel = () => {}
  #kill: { atMs: number; cancel: Cancel } | undefined
  readonly #waiting = new Set<() => void>()

  constructor(behaviour: Behaviour, clock: Clock, ended: (exit: SimulatedExit) => void) {
    this.#behaviour = behaviour
    this.#clock = clock
    this.#ended = ended
  }

  run(): void {
    const { runMs, exitCode = 0 } = this.#behaviour
    if (runMs === 0) this.kill(exitCode)
    else if (runMs !== undefined && Number.isFinite(runMs)) this.#cancelRun = this.#clock.after(runMs, () => this.kill(exitCode))
  }

  /** Asks it to end, and kills it after `graceMs`; a later call with less grace kills it sooner. */
  stop(graceMs: number, signal: AbortSignal): Promise<void> {
    if (this.#over) return Promise.resolve()
    const first = this.#kill === undefined
    const atMs = this.#clock.now() + graceMs
    if (this.#kill === undefined || atMs < this.#kill.atMs) {
      this.#kill?.cancel()
      this.#kill = { atMs, cancel: this.#clock.after(graceMs, () => this.kill(137)) }
    }
    if (first) this.#ask()
    if (this.#over) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const done = () => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      const stop = () => {
        this.#waiting.delete(done)
        reject(signal.reason)
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** It ends now, with this code. */
  kill(exitCode: number): void {
    if (this.#over) return
    this.#over = true
    this.#cancelRun()
    this.#cancelStop()
    this.#kill?.cancel()
    const { reason = exitCode === 0 ? 'Completed' : 'Error', message } = this.#behaviour
    this.#ended({ exitCode, ...(reason !== '' && { reason }), ...(message !== undefined && { message }) })
    for (const done of this.#waiting) done()
    this.#waiting.clear()
  }

  #ask(): void {
    const { onStop = {} } = this.#behaviour
    if (onStop === 'ignore') return
    const { afterMs = 0, exitCode = 143 } = onStop
    if (afterMs === 0) this.kill(exitCode)
    else this.#cancelStop = this.#clock.after(afterMs, () => this.kill(exitCode))
  }
}
