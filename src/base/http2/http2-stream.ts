import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  encodeFrame,
  encodeHead,
  encodeNumber,
  HEADERS,
  LONGEST_FRAME,
  RST_STREAM,
  WINDOW_UPDATE,
} from './frames.ts'
import type { HeaderField } from './hpack-decoder.ts'

/** How much either end may send at first. */
export const DEFAULT_WINDOW = 65_535
/** Error codes of a reset (RFC 9113, section 7). */
export const REFUSED = 7
export const CANCELLED = 8

/** Why a stream failed. */
export interface StreamFailure {
  readonly reason: string
  /** The server's error code, if it has reset the stream; otherwise the connection was lost. */
  readonly code?: number
  /** The server has not begun to process the request: it may be sent again. */
  readonly unprocessed: boolean
}

/** What happens on a stream. After `onEnd`, `onFail` or `cancel` nothing is called any more. */
export interface StreamHandlers {
  /** At the beginning, and once more at the end (trailers). */
  onHeaders(fields: readonly HeaderField[]): void
  onData(bytes: Buffer): void
  onEnd(): void
  onFail(failure: StreamFailure): void
}

/** What the streams of a connection share. */
export interface StreamLink {
  /** How much all streams together may send now; each subtracts what it has sent. */
  window: number
  /** How much a new stream may send. */
  streamWindow: number
  longestFrame: number
  /** Writes a frame, or a part of one. */
  write(frame: Buffer): void
  ended(stream: Http2Stream): void
}

export interface Http2StreamInit {
  readonly headers: Buffer
  readonly handlers: StreamHandlers
  readonly link: StreamLink
  /** How much the server may send before it is consumed. */
  readonly receiveWindow: number
}

const NO_HANDLERS: StreamHandlers = { onHeaders() {}, onData() {}, onEnd() {}, onFail() {} }

/** One request and its response. */
export class Http2Stream {
  readonly #headers: Buffer
  readonly #link: StreamLink
  readonly #receiveWindow: number
  /** Let go at the end: the connection's map of streams may hold a stream for longer ({@link PassingMap}). */
  #handlers: StreamHandlers
  readonly #pending: Buffer[] = []
  #id: number | undefined
  #window = 0
  #sentAll = false
  #ended = false
  /** Received, but not yet allowed to be sent again. */
  #consumed = 0
  /** Received while the reader holds back. */
  #held = 0
  #holding = false

  constructor({ headers, handlers, link, receiveWindow }: Http2StreamInit) {
    this.#headers = headers
    this.#handlers = handlers
    this.#link = link
    this.#receiveWindow = receiveWindow
  }

  /** Undefined: not opened yet. */
  get id(): number | undefined {
    return this.#id
  }

  /** Whether it has something to send, which no window allows yet. */
  get waits(): boolean {
    return this.#pending.length > 0
  }

  /** Sends bytes; `last`: nothing follows. */
  send(bytes: Buffer, { last = false } = {}): void {
    if (this.#ended || this.#sentAll) return
    this.#sentAll = last
    this.#pending.push(bytes)
    this.pump()
  }

  /** While it is held, the server may send no more than the window. */
  hold(): void {
    this.#holding = true
  }

  release(): void {
    this.#holding = false
    this.#grant(this.#held)
    this.#held = 0
  }

  /** Gives up the request. */
  cancel(): void {
    if (this.#finish() && this.#id !== undefined) this.#reset()
  }

  open(id: number): void {
    const [headers, link] = [this.#headers, this.#link]
    this.#id = id
    this.#window = link.streamWindow
    for (let at = 0; at === 0 || at < headers.length; at += LONGEST_FRAME) {
      const flags = at + LONGEST_FRAME >= headers.length ? END_HEADERS : 0
      const type = at === 0 ? HEADERS : CONTINUATION
      const payload = headers.subarray(at, at + LONGEST_FRAME)
      link.write(encodeHead({ type, flags, stream: id, payload }))
      if (payload.length > 0) link.write(payload)
    }
    this.pump()
  }

  /** Sends as much as the windows allow. */
  pump(): void {
    const link = this.#link
    const stream = this.#id
    if (stream === undefined || this.#ended) return
    for (;;) {
      const first = this.#pending[0]
      if (first === undefined) return
      const size = Math.min(first.length, this.#window, link.window, link.longestFrame)
      if (size <= 0 && first.length > 0) return
      this.#window -= size
      link.window -= size
      if (size < first.length) this.#pending[0] = first.subarray(size)
      else this.#pending.shift()
      const flags = this.#sentAll && this.#pending.length === 0 ? END_STREAM : 0
      const payload = first.subarray(0, size)
      link.write(encodeHead({ type: DATA, flags, stream, payload }))
      if (size > 0) link.write(payload)
    }
  }

  widen(more: number): void {
    this.#window += more
    this.pump()
  }

  onHeaders(fields: readonly HeaderField[]): void {
    this.#handlers.onHeaders(fields)
  }

  /** `sizeBytes`: with padding. */
  onData(bytes: Buffer, sizeBytes: number): void {
    this.#handlers.onData(bytes)
    if (this.#holding) this.#held += sizeBytes
    else this.#grant(sizeBytes)
  }

  onEnd(): void {
    const answeredEarly = !this.#sentAll || this.waits
    const handlers = this.#finish()
    if (handlers === undefined) return
    // The server wants no more of the request.
    if (answeredEarly) this.#reset()
    handlers.onEnd()
  }

  onReset(code: number): void {
    this.fail({ reason: `the server has reset the stream (code ${code})`, code, unprocessed: code === REFUSED })
  }

  fail(failure: StreamFailure): void {
    this.#finish()?.onFail(failure)
  }

  /** The handlers, if it had not ended before. */
  #finish(): StreamHandlers | undefined {
    if (this.#ended) return undefined
    const handlers = this.#handlers
    this.#ended = true
    this.#handlers = NO_HANDLERS
    this.#pending.length = 0
    this.#link.ended(this)
    return handlers
  }

  #reset(): void {
    this.#link.write(encodeFrame({ type: RST_STREAM, stream: this.#id ?? 0, payload: encodeNumber(CANCELLED) }))
  }

  /** The server may send so much more; it learns that when it is worth a frame. */
  #grant(bytes: number): void {
    this.#consumed += bytes
    if (this.#ended || this.#consumed < this.#receiveWindow / 2) return
    this.#link.write(encodeFrame({ type: WINDOW_UPDATE, stream: this.#id ?? 0, payload: encodeNumber(this.#consumed) }))
    this.#consumed = 0
  }
}
