import { StatusError } from '../../machinery/status-error.ts'
import type { Exchange } from './exchange.ts'

/** Responses up to this size need no memory once they were written to the connection. */
const SMALL_BYTES = 16 * 1024

/**
 * The lifetime of a request, which holds its seat and its time limit. It ends when the response was sent, the client has gone, or the time
 * is up; not when the handler has returned, because unsent bytes still use memory.
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

  /** True if no response is needed any more. */
  get over(): boolean {
    return this.#over || this.#exchange.gone
  }

  /** Aborted when the client goes away or the time is up. Created lazily: most requests end before. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#reason !== undefined) this.#abort.abort(this.#reason())
      else this.#follow()
    }
    return this.#abort.signal
  }

  /** Takes a seat, which `leave` gives back when the request is over. */
  hold(leave: () => void): void {
    if (this.#over) leave()
    else this.#seats.push(leave)
  }

  /** Holds a time limit, which `cancel` stops when the request is over. */
  within(cancel: () => void): void {
    if (this.#over) cancel()
    else this.#limits.push(cancel)
  }

  /** The handler is done: the request ends when the client has received the response and sent its whole body. */
  answered(): void {
    const { sent, unread, gone } = this.#exchange
    const small = gone || sent <= SMALL_BYTES
    if (small) this.#seats = letGo(this.#seats)
    if (small && (gone || !unread)) this.#end()
    else this.#follow()
  }

  /** Ends the request early. */
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
