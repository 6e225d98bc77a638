import type { Cancel, Clock } from '../../../base/clock.ts'
import { PassingMap } from '../../../base/collections/passing-map.ts'

/** Many time limits of one length with one timer: each costs two map entries instead of a timer. */
export class TimeLimits {
  readonly #clock: Clock
  readonly #spanMs: number
  /** In the order in which they expire. */
  readonly #running = new PassingMap<number, { readonly at: number; readonly end: () => void }>()
  #next = 0
  #timer: Cancel | undefined

  constructor(clock: Clock, spanMs: number) {
    this.#clock = clock
    this.#spanMs = spanMs
  }

  /** The number of running limits. */
  get size(): number {
    return this.#running.size
  }

  /** Calls `end` after the time limit, unless it is cancelled before; at most a second late. */
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
        // Limits that expire soon after are handled together.
        this.#timer = this.#clock.after(Math.max(at - now, SLACK_MS), () => this.#fire())
        return
      }
      this.#running.delete(id)
      end()
    }
  }
}

const SLACK_MS = 1000
