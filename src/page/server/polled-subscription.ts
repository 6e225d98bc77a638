import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import type { ServerMessage } from '../wire/messages.ts'
import type { Subscription } from './subscription.ts'

/** What is asked for again and again. */
export interface PolledOptions<T> {
  readonly clock: Clock
  readonly everyMs: number
  changed(): void
  read(signal: AbortSignal): Promise<T>
  /** `value`: what was read last; `problem`: why it could not be read since, `''` where it could. */
  message(value: T | undefined, problem: string): ServerMessage | undefined
}

/** A subscription to what is read again from time to time; an unchanged state is not sent again. */
export class PolledSubscription<T> implements Subscription {
  readonly #options: PolledOptions<T>
  readonly #stop = new AbortController()
  #value: T | undefined
  #problem = ''
  #cancel = () => {}

  constructor(options: PolledOptions<T>) {
    this.#options = options
    void this.#poll()
  }

  next(): ServerMessage | undefined {
    return this.#options.message(this.#value, this.#problem)
  }

  stop(): void {
    this.#stop.abort()
    this.#cancel()
  }

  async #poll(): Promise<void> {
    const { clock, everyMs, read, changed } = this.#options
    const before = JSON.stringify([this.#value, this.#problem])
    try {
      this.#value = await read(this.#stop.signal)
      this.#problem = ''
    } catch (error) {
      this.#problem = messageOf(error)
    }
    if (this.#stop.signal.aborted) return
    if (JSON.stringify([this.#value, this.#problem]) !== before) changed()
    this.#cancel = clock.after(everyMs, () => void this.#poll())
  }
}
