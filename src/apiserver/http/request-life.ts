import { StatusError } from '../../machinery/status-error.ts'
import type { Exchange } from './exchange.ts'

/** An answer up to this size has left as soon as it was given to the connection, as far as memory is concerned. */
const SMALL_BYTES = 16 * 1024

/**
 * From the head of a request to its end. What it holds is let go when it is over: once the answer has left, the client went away, or the time is up;
 * not when the handler returned, for bytes that a client does not take are memory too.
 */
export class RequestLife {
  readonly #exchange: Exchange
  #over = false
  #following = false
  #seats: (() => void)[] = []
  #limits: (() => void)[] = []
  #abort: AbortController | undefined
  #reason: (() => unknown) | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  /** Nobody waits for the answer any more. */
  get over(): boolean {
    return this.#over || this.#exchange.gone
  }

  /** Aborted when the client goes away or the time is up. Made only for those who ask: most requests are over before. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#reason !== undefined) this.#abort.abort(this.#reason())
      else this.#follow()
    }
    return this.#abort.signal
  }

  /** Takes a seat, which `leave` gives back when the answer has left, or the request is over. */
  hold(leave: () => void): void {
    if (this.#over) leave()
    else this.#seats.push(leave)
  }

  /** Keeps a time limit, which `cancel` ends when nothing of the request is left on the wire. */
  within(cancel: () => void): void {
    if (this.#over) cancel()
    else this.#limits.push(cancel)
  }

  /** The handler is done: the request is over when the client has taken the answer and sent what it announced. */
  answered(): void {
    const { sent, unread, gone } = this.#exchange
    const small = gone || sent <= SMALL_BYTES
    if (small) this.#seats = letGo(this.#seats)
    if (small && (gone || !unread)) this.#end()
    else this.#follow()
  }

  /** Ends it before its time. */
  expire(reason: unknown): void {
    this.#end(() => reason)
  }

  #follow(): void {
    if (this.#following || this.#over) return
    this.#following = true
    this.#exchange.onClose(() => this.#end(left))
  }

  #end(reason?: () => unknown): void {
    if (this.#over) return
    this.#over = true
    this.#seats = letGo(this.#seats)
    this.#limits = letGo(this.#limits)
    if (reason === undefined) return
    this.#reason = reason
    this.#abort?.abort(reason())
  }
}

function letGo(held: readonly (() => void)[]): (() => void)[] {
  for (const one of held) one()
  return []
}

const left = () => new StatusError({ code: 499, message: 'the client went away' })
