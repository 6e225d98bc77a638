import { errorOf, messageOf } from '../base/message-of.ts'
import { StatusError } from '../machinery/status-error.ts'
import { FRAME, type FrameKind } from './frames.ts'

/** As many bytes may be on their way to a reader that has not read them; one message more may exceed it. */
export const WINDOW_BYTES = 1 << 20

/** The link below an exchange. */
export interface ExchangeLink {
  /** Returns how many bytes the payload has. */
  write(exchange: Exchange, kind: FrameKind, ...parts: readonly (string | Uint8Array)[]): number
  /** Both directions have ended. */
  over(exchange: Exchange): void
}

interface Waiter<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

/**
 * One conversation over a link: messages in both directions, each with its own end. Who sends waits while the reader is behind by more than
 * `WINDOW_BYTES`. One reader.
 */
export class Exchange {
  readonly id: number
  /** Whether this side has opened it. */
  readonly own: boolean
  readonly #link: ExchangeLink
  readonly #inbox: Buffer[] = []
  /** Read, and not acknowledged yet. */
  #readBytes = 0
  /** Sent, and not read by the other side as far as this side knows. */
  #unreadBytes = 0
  #sentEnd: boolean
  #heardEnd: boolean
  #failure: Error | undefined
  #reader: Waiter<Buffer | undefined> | undefined
  #writers: Waiter<void>[] = []
  #gone: AbortController | undefined

  constructor(
    link: ExchangeLink,
    init: { readonly id: number; readonly own: boolean; readonly sentEnd: boolean; readonly heardEnd: boolean },
  ) {
    this.#link = link
    this.id = init.id
    this.own = init.own
    this.#sentEnd = init.sentEnd
    this.#heardEnd = init.heardEnd
  }

  /** Aborted when the other side has failed the exchange, or has gone. */
  get signal(): AbortSignal {
    this.#gone ??= new AbortController()
    if (this.#failure !== undefined) this.#gone.abort(this.#failure)
    return this.#gone.signal
  }

  /**
   * Sends a message, put together from its parts. A promise is returned when the reader is behind: it resolves when there is room, and
   * rejects when the exchange has failed.
   */
  send(...parts: readonly (string | Uint8Array)[]): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#sentEnd) return Promise.reject(new Error('written after the end'))
    this.#unreadBytes += this.#link.write(this, FRAME.message, ...parts)
    if (this.#unreadBytes <= WINDOW_BYTES) return undefined
    return new Promise((resolve, reject) => this.#writers.push({ resolve, reject }))
  }

  /** Ends this side's direction, with a last message where there is one. Calling it twice is harmless. */
  end(last?: string | Uint8Array): void {
    if (this.#failure !== undefined || this.#sentEnd) return
    this.#sentEnd = true
    if (last === undefined) this.#link.write(this, FRAME.end)
    else this.#link.write(this, FRAME.last, last)
    if (this.#heardEnd) this.#link.over(this)
  }

  /** Ends both directions; the other side gets the error as a `StatusError`. */
  fail(error: unknown): void {
    if (this.#failure !== undefined || (this.#sentEnd && this.#heardEnd)) return
    this.#link.write(this, FRAME.fail, JSON.stringify(statusOf(error)))
    this.broken(errorOf(error))
    this.#link.over(this)
  }

  /** The next message; undefined at the end. Rejects when the exchange has failed. The bytes are a view of what came with them. */
  next(): Promise<Buffer | undefined> {
    const message = this.#inbox.shift()
    if (message !== undefined) {
      this.#note(message.length)
      return Promise.resolve(message)
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#heardEnd) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (let message = await this.next(); message !== undefined; message = await this.next()) yield message
  }

  /** A frame has come. */
  hear(kind: FrameKind, payload: Buffer): void {
    if (kind === FRAME.credit) this.#credited(payload.readUInt32LE(0))
    else if (kind === FRAME.fail) {
      this.broken(StatusError.from(JSON.parse(payload.toString())))
      this.#link.over(this)
    } else this.#heard(payload, { message: kind !== FRAME.end, end: kind !== FRAME.message })
  }

  /** The exchange is over without an end: for both who read and who write. */
  broken(error: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    this.#reader?.reject(error)
    this.#reader = undefined
    for (const writer of this.#writers) writer.reject(error)
    this.#writers = []
    this.#gone?.abort(error)
  }

  #heard(payload: Buffer, { message, end }: { readonly message: boolean; readonly end: boolean }): void {
    if (end) this.#heardEnd = true
    const reader = this.#reader
    this.#reader = undefined
    if (!message) reader?.resolve(undefined)
    else if (reader === undefined) this.#inbox.push(payload)
    else {
      this.#note(payload.length)
      reader.resolve(payload)
    }
    if (this.#heardEnd && this.#sentEnd) this.#link.over(this)
  }

  #note(bytes: number): void {
    this.#readBytes += bytes
    if (this.#heardEnd || this.#readBytes < WINDOW_BYTES / 2) return
    const credit = Buffer.allocUnsafe(4)
    credit.writeUInt32LE(this.#readBytes)
    this.#readBytes = 0
    this.#link.write(this, FRAME.credit, credit)
  }

  #credited(bytes: number): void {
    this.#unreadBytes -= bytes
    if (this.#unreadBytes > WINDOW_BYTES) return
    for (const writer of this.#writers) writer.resolve()
    this.#writers = []
  }
}

const statusOf = (error: unknown) => {
  if (error instanceof StatusError) return error.status
  const message = messageOf(error)
  return new StatusError({ code: 500, reason: 'InternalError', message }).status
}
