import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Play, SimulatedExit } from './play.ts'

/** What runs in a simulated container, whoever plays it: it ends by itself, or when it is asked to, or is killed when its grace is over. */
export class SimulatedProcess {
  readonly #play: Play
  readonly #clock: Clock
  readonly #ended: (exit: SimulatedExit) => void
  #over = false
  #kill: { atMs: number; cancel: Cancel } | undefined
  #waiting: Set<() => void> | undefined

  constructor(play: Play, clock: Clock, ended: (exit: SimulatedExit) => void) {
    this.#play = play
    this.#clock = clock
    this.#ended = ended
  }

  run(): void {
    this.#play.begin((exit) => this.#end(exit))
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
    if (first) this.#play.ask()
    if (this.#over) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const done = () => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      const stop = () => {
        this.#waiting?.delete(done)
        reject(signal.reason)
      }
      this.#waiting ??= new Set()
      this.#waiting.add(done)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** It ends now, with this code; `reason`: why, where that is not what a kill means by itself. */
  kill(exitCode: number, reason?: string): void {
    if (!this.#over) this.#end({ ...this.#play.killed(exitCode), ...(reason !== undefined && { reason }) })
  }

  #end(exit: SimulatedExit): void {
    if (this.#over) return
    this.#over = true
    this.#kill?.cancel()
    this.#play.over()
    this.#ended(exit)
    for (const done of this.#waiting ?? []) done()
    this.#waiting = undefined
  }
}
