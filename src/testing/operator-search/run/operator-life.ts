import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Random } from '../../../base/random.ts'
import type { Client, Transport } from '../../../sdk/client/client.ts'
import type { PodNetwork } from '../answers/pod-network.ts'

/** What an operator in this process gets for one of its runs. It must use nothing else, and no time but this clock's. */
export interface OperatorLife {
  readonly client: Client
  readonly transport: Transport
  /** Connections to pods and services, for operators that talk to what runs there. */
  readonly network: PodNetwork
  readonly clock: Clock
  readonly random: Random
  /** Aborted when the run is over. From then on no call reaches the cluster, and no timer fires. */
  readonly signal: AbortSignal
}

/** An operator in this process. It resolves when the signal is aborted; an earlier end, or a rejection, is a crash. */
export type InProcessOperator = (life: OperatorLife) => Promise<void>

/** A clock whose timers end with the signal, as those of a process do that was killed. */
export class MortalClock implements Clock {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #due = new Set<{ readonly atMs: number }>()

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
  }

  /** How long it takes until all timers have fired that are due within this time; 0: there is none. */
  dueWithin(spanMs: number): number {
    const now = this.now()
    return Math.max(0, ...[...this.#due].map(({ atMs }) => atMs - now).filter((leftMs) => leftMs <= spanMs))
  }

  now(): number {
    return this.#clock.now()
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  busy(what: string): Cancel {
    return this.#clock.busy(what)
  }

  after(delayMs: number, fn: () => void): Cancel {
    const timer = { atMs: this.now() + delayMs }
    this.#due.add(timer)
    const cancel = this.#clock.after(delayMs, () => {
      this.#due.delete(timer)
      if (!this.#signal.aborted) fn()
    })
    return () => {
      this.#due.delete(timer)
      cancel()
    }
  }

  async sleep(delayMs: number, own?: AbortSignal): Promise<void> {
    const timer = { atMs: this.now() + delayMs }
    this.#due.add(timer)
    const signal = own === undefined ? this.#signal : AbortSignal.any([own, this.#signal])
    await this.#clock.sleep(delayMs, signal).finally(() => this.#due.delete(timer))
  }
}
