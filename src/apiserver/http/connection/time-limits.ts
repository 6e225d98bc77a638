import type { Cancel, Clock } from '../../../base/clock.ts'

/** Many spans of one length under one timer: a request pays two entries of a map for its limit, not a timer of its own. */
export class TimeLimits {
  readonly #clock: Clock
  readonly #spanMs: number
  /** In the order in which they end. */
  readonly #running = new Map<number, { readonly at: number; readonly end: () => void }>()
  #next = 0
  #timer: Cancel | undefined

  constructor(clock: Clock, spanMs: number) {
    this.#clock = clock
    this.#spanMs = spanMs
  }

  /** How many run. */
  get size(): number {
    return this.#running.size
  }

  /** Calls `end` when the span is over, unless it is cancelled before. It fires at most a second late. */
  begin(end: () => void): Cancel {
    const id = this.#next++
    this.#running.set(id, { at: this.#clock.monotonic() + this.#spanMs, end })
    this.#timer ??= this.#clock.after(this.#spanMs, () => this.#fire())
    return () => this.#running.delete(id)
  }

  #fire(): void {
    const now = this.#clock.monotonic()
    this.#timer = undefined
    for (const [id, { at, end }] of this.#running) {
      if (at > now) {
        // Those that end soon after go together.
        this.#timer = this.#clock.after(Math.max(at - now, SLACK_MS), () => this.#fire())
        return
      }
      this.#running.delete(id)
      end()
    }
  }
}

const SLACK_MS = 1000
