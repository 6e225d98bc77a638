import type { Cancel, Clock } from '../../base/clock.ts'
import { giveTurn } from '../../base/turns.ts'
import { EndedError } from './exit-error.ts'

/** So much may a process use of the world before others have their turn. */
const STEPS_PER_TURN = 64
/** So much within one millisecond; beyond it the process waits for the next: an endless loop must not hold up virtual time. */
const STEPS_PER_MS = 4096

/** What one process holds, and how fast it may go: when it is over, everything that it holds is released. */
export class ProcessScope {
  readonly #clock: Clock
  readonly #failed: (error: unknown) => void
  readonly #entered: (() => void) | undefined
  readonly #held = new Set<() => void>()
  readonly #over = new AbortController()
  #steps = 0
  #atMs = Number.NaN

  /** `failed` is called with what a timer of the process throws, `entered` before the process goes on. */
  constructor(clock: Clock, failed: (error: unknown) => void, entered?: () => void) {
    this.#clock = clock
    this.#failed = failed
    this.#entered = entered
  }

  /** Aborted when the process is over. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Waits for the next step of the process; there is none when it is over. */
  step(): Promise<void> {
    return this.awaited(this.#step())
  }

  /** What a process waits for never comes when the process is over: it does not go on, not even to find that out. */
  awaited<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.#goOn(() => resolve(value)),
        (error: unknown) => this.#goOn(() => reject(error)),
      )
    })
  }

  #goOn(how: () => void): void {
    if (this.#over.signal.aborted) return
    this.#entered?.()
    how()
  }

  async #step(): Promise<void> {
    const now = this.#clock.now()
    if (now !== this.#atMs) {
      this.#atMs = now
      this.#steps = 0
    }
    this.#steps++
    if (this.#steps >= STEPS_PER_MS) {
      this.#steps = 0
      await this.#clock.sleep(1, this.#over.signal)
    } else if (this.#steps % STEPS_PER_TURN === 0) await giveTurn()
  }

  /** Calls `letGo` at the end, unless what is returned is called before. */
  hold(letGo: () => void): Cancel {
    if (this.#over.signal.aborted) {
      letGo()
      return () => {}
    }
    this.#held.add(letGo)
    return () => this.#held.delete(letGo)
  }

  end(): void {
    if (this.#over.signal.aborted) return
    this.#over.abort(new EndedError())
    const held = [...this.#held].reverse()
    this.#held.clear()
    for (const letGo of held) letGo()
  }

  /** The clock, for the process: what waits by it ends with it. */
  clock(): Clock {
    const clock = this.#clock
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, fn) => {
        if (this.#over.signal.aborted) return () => {}
        const cancel = clock.after(delayMs, () => {
          letGo()
          this.#entered?.()
          try {
            fn()
          } catch (error) {
            this.#failed(error)
          }
        })
        const letGo = this.hold(cancel)
        return () => {
          letGo()
          cancel()
        }
      },
      sleep: (delayMs, signal) =>
        this.awaited(clock.sleep(delayMs, signal === undefined ? this.#over.signal : AbortSignal.any([this.#over.signal, signal]))),
      busy: (what) => {
        if (this.#over.signal.aborted) return () => {}
        const release = clock.busy(what)
        const letGo = this.hold(release)
        return () => {
          letGo()
          release()
        }
      },
    }
  }
}
