import type { Cancel, Clock } from '../../../base/clock.ts'
import { onAbort } from '../../../base/on-abort.ts'
import type { Play, SimulatedExit } from './play.ts'

/** The main process of a simulated container, scripted or a program: it ends by itself, on SIGTERM, or is killed after its grace period. */
export class SimulatedProcess {
  readonly #play: Play
  readonly #clock: Clock
  readonly #ended: (exit: SimulatedExit) => void
  #over = false
  #killedBecause: string | undefined
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

  /** Sends SIGTERM, and kills it after `graceMs`; a later call with less grace kills it sooner. */
  stop(graceMs: number, signal: AbortSignal): Promise<void> {
    if (this.#over) return Promise.resolve()
    const first = this.#kill === undefined
    const atMs = this.#clock.now() + graceMs
    if (this.#kill === undefined || atMs < this.#kill.atMs) {
      this.#kill?.cancel()
      this.#kill = { atMs, cancel: this.#clock.after(graceMs, () => this.kill(137)) }
    }
    if (first) this.#play.ask()
    return this.over(signal)
  }

  /** Resolves when it has ended. */
  over(signal?: AbortSignal): Promise<void> {
    if (this.#over) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const done = () => {
        leaving[Symbol.dispose]()
        resolve()
      }
      this.#waiting ??= new Set()
      this.#waiting.add(done)
      const leaving = onAbort(signal, () => {
        this.#waiting?.delete(done)
        reject(signal?.reason)
      })
    })
  }

  /** Ends it with this code; `reason` replaces that of the process. A program in another process ends a moment later. */
  kill(exitCode: number, reason?: string): void {
    if (this.#over) return
    this.#killedBecause ??= reason
    this.#play.kill(exitCode)
  }

  #end(exit: SimulatedExit): void {
    if (this.#over) return
    this.#over = true
    this.#kill?.cancel()
    this.#ended(this.#killedBecause === undefined ? exit : { ...exit, reason: this.#killedBecause })
    for (const done of this.#waiting ?? []) done()
    this.#waiting = undefined
  }
}
