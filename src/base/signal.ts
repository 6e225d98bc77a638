import { offAbort, onAbort } from './on-abort.ts'
import type { TimerKind } from './timer-kind.ts'

/** What a wait needs of a clock (`Clock` has it). */
interface Timers {
  now(): number
  after(delayMs: number, fn: () => void, kind?: TimerKind): () => void
}

export interface WaitOptions {
  /** Ends the wait with `'late'` at this time of the clock, in milliseconds; undefined: never. */
  readonly untilMs?: number | undefined
  /** Needed for `untilMs`. */
  readonly clock?: Timers
  /** Ends the wait with `'aborted'`. */
  readonly signal?: AbortSignal | undefined
  /** Of the end of the wait: see `Clock`. */
  readonly kind?: TimerKind | undefined
}

/** Why a wait ended. */
export type Woken = 'raised' | 'late' | 'aborted'

type Wake = (why: Woken) => void

/**
 * A resettable event: `raise` wakes every waiter; without one, the next `wait` returns at once. Raising twice is the same as once.
 *
 * ```ts
 * while (!signal.aborted) {
 *   await look()
 *   await changed.wait({ clock, untilMs: clock.now() + 10_000, signal }) // `changed.raise()` during `look` is not lost
 * }
 * ```
 */
export class Signal {
  #raised = false
  /** There are as many signals as pods, and mostly one waits for each. */
  #waiting: Wake | Set<Wake> | undefined

  /** Whether the next wait ends at once. */
  get raised(): boolean {
    return this.#raised
  }

  raise(): void {
    const waiting = this.#waiting
    if (waiting === undefined) {
      this.#raised = true
      return
    }
    this.#waiting = undefined
    if (typeof waiting === 'function') waiting('raised')
    else for (const wake of waiting) wake('raised')
  }

  /** Clears it: for a consumer that has just checked by itself. */
  lower(): void {
    this.#raised = false
  }

  /** Resolves when it is raised, which lowers it; or when the time or the signal ends the wait. Never rejects. */
  wait({ untilMs, clock, signal, kind }: WaitOptions = {}): Promise<Woken> {
    if (signal?.aborted) return Promise.resolve('aborted')
    if (this.#raised) {
      this.#raised = false
      return Promise.resolve('raised')
    }
    return new Promise((resolve) => {
      if (untilMs === undefined && signal === undefined) {
        this.#add(resolve)
        return
      }
      let cancel: (() => void) | undefined
      const end = (why: Woken) => {
        this.#remove(end)
        cancel?.()
        offAbort(signal, aborted)
        resolve(why)
      }
      const aborted = () => end('aborted')
      this.#add(end)
      onAbort(signal, aborted)
      if (untilMs === undefined) return
      if (clock === undefined) throw new Error('a wait with an end needs a clock: pass `clock` beside `untilMs`')
      cancel = clock.after(Math.max(0, untilMs - clock.now()), () => end('late'), kind)
    })
  }

  #add(wake: Wake): void {
    if (this.#waiting === undefined) this.#waiting = wake
    else if (typeof this.#waiting === 'function') this.#waiting = new Set([this.#waiting, wake])
    else this.#waiting.add(wake)
  }

  #remove(wake: Wake): void {
    if (this.#waiting === wake) this.#waiting = undefined
    else if (this.#waiting instanceof Set && this.#waiting.delete(wake) && this.#waiting.size === 0) this.#waiting = undefined
  }
}
