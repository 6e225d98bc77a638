import type { Cancel, Clock } from '../clock.ts'

export interface KeepAliveTimes {
  /** A ping is sent after so much silence. */
  readonly afterMs: number
  /** The connection is lost when nothing has come so long after a ping. */
  readonly timeoutMs: number
}

export interface KeepAliveActions {
  /** Whether somebody waits for something. */
  needed(): boolean
  ping(): void
  lost(): void
}

/** Notices a connection whose other end is gone without a word. */
export class KeepAlive implements Disposable {
  readonly #times: KeepAliveTimes
  readonly #clock: Clock
  readonly #actions: KeepAliveActions
  #heardAt: number
  #cancel: Cancel

  constructor(times: KeepAliveTimes, clock: Clock, actions: KeepAliveActions) {
    this.#times = times
    this.#clock = clock
    this.#actions = actions
    this.#heardAt = clock.monotonic()
    this.#cancel = clock.after(times.afterMs, () => this.#look())
  }

  /** Something has come. */
  heard(): void {
    this.#heardAt = this.#clock.monotonic()
  }

  [Symbol.dispose](): void {
    this.#cancel()
  }

  #look(): void {
    const { afterMs, timeoutMs } = this.#times
    const silentMs = this.#clock.monotonic() - this.#heardAt
    if (silentMs < afterMs || !this.#actions.needed()) {
      this.#cancel = this.#clock.after(silentMs < afterMs ? afterMs - silentMs : afterMs, () => this.#look())
      return
    }
    const heardAt = this.#heardAt
    this.#actions.ping()
    this.#cancel = this.#clock.after(timeoutMs, () => {
      if (this.#heardAt === heardAt) this.#actions.lost()
      else this.#look()
    })
  }
}
