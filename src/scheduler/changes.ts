import type { Clock } from '../base/clock.ts'

/** Lets plugins wait until a condition over watched objects holds. */
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

  /** Rejects all waits: no more changes will be observed. */
  end(): void {
    for (const giveUp of [...this.#given]) giveUp()
  }

  /** Resolves when the check holds, which is tried at every change. Rejects after the time; the message names `what`. */
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
