import type { Clock } from '../../base/clock.ts'
import type { Steps } from '../../base/steps.ts'
import { giveTurn } from '../../base/turns.ts'

/** What one command of a script costs. The unit is about a microsecond of work. */
export const COMMAND_WORK = 16
/** What a subshell costs beside its commands. */
export const FORK_WORK = 64
/** What a read or a write costs, and each 256 bytes of it. */
const TRANSFER_WORK = 4
const BYTES_PER_UNIT = 256
/** What a step of a long computation costs: see `Steps`. */
const STEP_WORK = 200
/** After so much work the event loop turns. */
const WORK_PER_TURN = 800
/** After so many turns the process sleeps, so that an endless loop neither takes a whole core nor stops a virtual clock. */
const TURNS_PER_REST = 4
const REST_MS = 5

/** Counts the work of a process and of all processes that it starts, and makes them wait when they have had their share. */
export class Pacer {
  readonly #clock: Clock
  #work = 0
  #turns = 0
  #pause: Promise<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts work. Rejects with the signal's reason when the signal is aborted. */
  async spend(work: number, signal: AbortSignal): Promise<void> {
    // All users of the pacer wait for one pause: a thousand processes get no more than one does.
    while (this.#pause !== undefined) await this.#pause
    this.#work += work
    if (this.#work >= WORK_PER_TURN) await this.#begin()
    signal.throwIfAborted()
  }

  /** Counts a read or a write. */
  transfer(bytes: number, signal: AbortSignal): Promise<void> {
    return this.spend(TRANSFER_WORK + bytes / BYTES_PER_UNIT, signal)
  }

  /** Carries out a long computation with pauses between its steps. */
  async run<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      await (step.value ?? this.spend(STEP_WORK, signal))
    }
  }

  #begin(): Promise<void> {
    this.#turns += Math.floor(this.#work / WORK_PER_TURN)
    this.#work = 0
    const rests = this.#turns >= TURNS_PER_REST
    if (rests) this.#turns = 0
    this.#pause = (rests ? this.#clock.sleep(REST_MS) : giveTurn()).finally(() => {
      this.#pause = undefined
    })
    return this.#pause
  }
}
