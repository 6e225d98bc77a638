import type { Clock } from '../base/clock.ts'

/** Waits for something to become true among the watched objects. */
export class Changes {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  readonly #given = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  happened(): void {
    for (const look of [...this.#waiting]) look()
  }

  /** Nobody watches any more: all who wait are told so. */
  end(): void {
    for (const giveUp of [...this.#given]) giveUp()
  }

  /** Rejects when the check does not hold within the time; `what` is then named. */
  until(check: () => boolean, timeoutMs: number, what: string): Promise<void> {
    if (check()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel()
        this.#waiting.delete(look)
        this.#given.delete(giveUp)
      }
      const look = () => {
        if (!check()) return
        end()
        resolve()
      }
      const cancel = this.#clock.after(timeoutMs, () => {
        end()
        reject(new Error(`timed out after ${timeoutMs / 1000} s waiting for ${what}`))
      })
      const giveUp = () => {
        end()
        reject(new Error(`the scheduler stopped while waiting for ${what}`))
      }
      this.#waiting.add(look)
      this.#given.add(giveUp)
    })
  }
}
