import type { Clock } from '../base/clock.ts'
import { giveTurn } from '../base/turns.ts'

/** So many commands run before the rest of the process has its turn, */
const COMMANDS_A_TURN = 50
/** and so many turns before a loop without end waits a moment: it must not take a whole core, nor hold a virtual clock. */
const TURNS_A_REST = 4
const REST_MS = 5

/** Cuts what a script does into slices, so that an endless loop stops nobody else. */
export class Slices {
  readonly #clock: Clock
  #commands = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async next(signal: AbortSignal): Promise<void> {
    this.#commands++
    if (this.#commands % COMMANDS_A_TURN !== 0) return
    if (this.#commands % (COMMANDS_A_TURN * TURNS_A_REST) === 0) await this.#clock.sleep(REST_MS, signal)
    else await giveTurn()
    signal.throwIfAborted()
  }
}
