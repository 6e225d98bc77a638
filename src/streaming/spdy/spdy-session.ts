import { type BytePipe, createBytePipe } from '../../base/byte-pipe.ts'
import { quiet } from '../../base/quiet.ts'
import type { ByteDuplex, ByteSink, ByteSource } from '../../machinery/streams.ts'
import { controlFrame, dataHead, FLAG_FIN, FRAME, type Frame, numbers, RST, readFrames } from './frames.ts'
import { createHeaderCodec, type SpdyHeaders } from './header-block.ts'

/** One stream, at either end. */
export interface SpdyStream {
  readonly headers: SpdyHeaders
  readonly source: ByteSource
  readonly sink: ByteSink
  /** Drops what is received from now on: `source` has no reader any more. The sending half goes on. */
  stopReading(): void
  /** Resets the stream. */
  reset(): void
  /** Resolves when both halves have ended. */
  readonly closed: Promise<void>
}

export interface SpdySession {
  /**
   * Runs until the connection has ended; every new stream is passed to `accept`, which returns at once. Rejects if the client does not use
   * SPDY/3.
   */
  run(accept: (stream: SpdyStream) => void): Promise<void>
  /** Opens a stream, at the client's end; it can be written to at once. */
  open(headers: SpdyHeaders): Promise<SpdyStream>
  /** Sends GOAWAY. Earlier writes are still sent. */
  close(): Promise<void>
}

/** The most streams of one session that are open at once; more are refused. */
const MOST_STREAMS = 512
/** What one stream holds that is not read: a client may leave it in each of them. */
const UNREAD_BYTES = 32 * 1024
const MOST_DATA_BYTES = 0xffffff
const GO_AWAY_OK = 0

/**
 * Either end of a SPDY/3.1 connection: clients open streams, servers never do. A slow reader of one stream blocks the connection.
 */
export function createSpdySession(wire: ByteDuplex): SpdySession {
  const codec = createHeaderCodec()
  const streams = new Map<number, SessionStream>()
  let lastId = 0
  let closing = false

  const adopt = (id: number, headers: SpdyHeaders) => {
    const stream = new SessionStream(id, headers, wire.sink)
    streams.set(id, stream)
    void stream.closed.then(() => streams.delete(id))
    return stream
  }
  const accepted = async (payload: Buffer, flags: number, accept: (stream: SpdyStream) => void) => {
    if (payload.length < 10) throw new Error('a SYN_STREAM frame is cut short')
    const id = payload.readUInt32BE(0) & 0x7fffffff
    const headers = await codec.decode(payload.subarray(10))
    if (id % 2 === 0 || id <= lastId) return send(controlFrame(FRAME.rstStream, 0, numbers(id, RST.protocolError)))
    lastId = id
    if (streams.size >= MOST_STREAMS) return send(controlFrame(FRAME.rstStream, 0, numbers(id, RST.refusedStream)))
    const stream = adopt(id, headers)
    if ((flags & FLAG_FIN) !== 0) stream.receivedEnd()
    await send(controlFrame(FRAME.synReply, 0, Buffer.concat([numbers(id), await codec.encode({})])))
    accept(stream)
  }
  const send = (frame: Buffer) => wire.sink.write(frame)

  async function control(frame: Extract<Frame, { kind: 'control' }>, accept: (stream: SpdyStream) => void): Promise<void> {
    const { type, flags, payload } = frame
    if (type === FRAME.synStream) return accepted(payload, flags, accept)
    if (type === FRAME.ping) return send(controlFrame(FRAME.ping, 0, payload))
    if (type === FRAME.rstStream) streams.get(payload.readUInt32BE(0) & 0x7fffffff)?.receivedReset()
    // Header blocks share one compression state: those of ignored frames have to be unpacked too.
    if (type === FRAME.headers || type === FRAME.synReply) {
      await codec.decode(payload.subarray(4))
      if ((flags & FLAG_FIN) !== 0) streams.get(payload.readUInt32BE(0) & 0x7fffffff)?.receivedEnd()
    }
  }

  return {
    async run(accept) {
      try {
        for await (const frame of readFrames(wire.source)) {
          if (frame.kind === 'control') await control(frame, accept)
          else await streams.get(frame.stream)?.received(frame.bytes, frame.fin)
        }
      } catch (error) {
        if (!closing) throw error
      } finally {
        for (const stream of streams.values()) stream.receivedReset()
        streams.clear()
        codec[Symbol.dispose]()
      }
    },
    async open(headers) {
      // Clients' streams have odd numbers.
      const id = lastId === 0 ? 1 : lastId + 2
      lastId = id
      const stream = adopt(id, headers)
      const head = Buffer.concat([numbers(id, 0), Buffer.of(0, 0)])
      await send(controlFrame(FRAME.synStream, 0, Buffer.concat([head, await codec.encode(headers)])))
      return stream
    },
    async close() {
      closing = true
      await quiet(send(controlFrame(FRAME.goAway, 0, numbers(lastId, GO_AWAY_OK))), 'the client may have gone')
      await quiet(wire.sink.end(), 'the client may have gone')
    },
  }
}

/** A stream with its two halves. */
class SessionStream implements SpdyStream {
  readonly headers: SpdyHeaders
  readonly sink: ByteSink
  readonly #id: number
  readonly #wire: ByteSink
  readonly #closed = Promise.withResolvers<void>()
  readonly #pipe: BytePipe = createBytePipe(UNREAD_BYTES)
  #receiving = true
  #sending = true

  constructor(id: number, headers: SpdyHeaders, wire: ByteSink) {
    this.#id = id
    this.headers = headers
    this.#wire = wire
    this.sink = { write: (chunk) => this.#send(chunk), end: () => this.#end() }
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  get source(): ByteSource {
    return this.#pipe.source
  }

  async received(bytes: Uint8Array, fin: boolean): Promise<void> {
    // The process no longer reads: input is dropped, as by a process that closed its stdin.
    await quiet(this.#pipe.sink.write(bytes), 'the program no longer reads')
    if (fin) this.receivedEnd()
  }

  receivedEnd(): void {
    this.#receiving = false
    void this.#pipe.sink.end()
    this.#forget()
  }

  receivedReset(): void {
    if (this.#receiving) this.#pipe.destroy(new Error('the client broke the stream off'))
    this.#receiving = false
    this.#sending = false
    this.#forget()
  }

  stopReading(): void {
    this.#pipe.destroy(new Error('the connection has ended'))
  }

  reset(): void {
    if (!this.#receiving && !this.#sending) return
    this.receivedReset()
    void quiet(this.#wire.write(controlFrame(FRAME.rstStream, 0, numbers(this.#id, RST.cancel))), 'the client may have gone')
  }

  async #send(chunk: Uint8Array): Promise<void> {
    if (!this.#sending) throw new Error('the client has closed the stream')
    for (let at = 0; at < chunk.length; at += MOST_DATA_BYTES) {
      const part = chunk.subarray(at, at + MOST_DATA_BYTES)
      await this.#wire.write(Buffer.concat([dataHead(this.#id, 0, part.length), part]))
    }
  }

  async #end(): Promise<void> {
    if (!this.#sending) return
    this.#sending = false
    await quiet(this.#wire.write(dataHead(this.#id, FLAG_FIN, 0)), 'the client may have gone')
    this.#forget()
  }

  #forget(): void {
    if (!this.#receiving && !this.#sending) this.#closed.resolve()
  }
}
