import type { Duplex } from 'node:stream'
import type { Clock } from '../clock.ts'
import { networkErrorText } from '../http/network-error.ts'
import { messageOf } from '../message-of.ts'
import { quiet } from '../quiet.ts'
import { nextTurn } from '../turns.ts'
import {
  ACK,
  CONTINUATION,
  contentOf,
  DATA,
  END_STREAM,
  encodeFrame,
  encodeNumber,
  type Frame,
  FrameError,
  FrameReader,
  GOAWAY,
  HEADERS,
  LONGEST_FRAME,
  PING,
  PREFACE,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from './frames.ts'
import { HeaderBlocks } from './header-blocks.ts'
import { DEFAULT_WINDOW, Http2Stream, type StreamHandlers, type StreamLink } from './http2-stream.ts'
import { KeepAlive, type KeepAliveTimes } from './keep-alive.ts'

/** What the other end may send of one stream before it is read, and of all streams together before it has arrived. */
const STREAM_WINDOW = 4 << 20
const CONNECTION_WINDOW = 64 << 20
/** Numbers of settings (RFC 9113, section 6.5.2). */
const ENABLE_PUSH = 2
const MOST_STREAMS = 3
const INITIAL_WINDOW = 4
const MAX_FRAME = 5
/** The last number that a stream can have. */
const LAST_STREAM = 2 ** 31 - 1

export interface Http2SessionConfig {
  readonly keepAlive: KeepAliveTimes
}

/**
 * The client's end of one HTTP/2 connection (RFC 9113), for a few long-lived servers: no priorities, no pushes. Frames of one turn of the
 * event loop are written together.
 */
export class Http2Session implements Disposable {
  /** Resolves when the server has sent its settings; rejects when the connection fails before. */
  readonly ready: Promise<void>
  readonly #readiness = Promise.withResolvers<void>()
  readonly #socket: Duplex
  readonly #reader = new FrameReader()
  readonly #blocks = new HeaderBlocks()
  readonly #keepAlive: KeepAlive
  readonly #streams = new Map<number, Http2Stream>()
  /** Streams beyond those that the server allows at once. */
  readonly #queued = new Set<Http2Stream>()
  readonly #link: StreamLink
  #nextStream = 1
  #mostStreams = Number.POSITIVE_INFINITY
  #out: Buffer[] = []
  #unacknowledged = 0
  #leaving = false
  /** By type; frames of other types are ignored. */
  readonly #on: Readonly<Record<number, (frame: Frame) => void>> = {
    [DATA]: (frame) => this.#onData(frame),
    [HEADERS]: (frame) => this.#onHeaders(frame),
    [CONTINUATION]: (frame) => this.#onHeaders(frame),
    [RST_STREAM]: ({ stream, payload }) => this.#streams.get(stream)?.onReset(numberOf(payload, 0)),
    [SETTINGS]: (frame) => this.#onSettings(frame),
    [PUSH_PROMISE]: () => this.close('the server pushes, which was not allowed'),
    [PING]: (frame) => this.#onPing(frame),
    [GOAWAY]: ({ payload }) => this.#onGoaway(payload),
    [WINDOW_UPDATE]: (frame) => this.#onWindow(frame),
  }
  #closed: string | undefined

  constructor({ keepAlive }: Http2SessionConfig, socket: Duplex, clock: Clock) {
    this.#socket = socket
    this.ready = this.#readiness.promise
    void quiet(this.ready, 'requests fail by themselves; who waits for it gets the error')
    this.#link = {
      window: DEFAULT_WINDOW,
      streamWindow: DEFAULT_WINDOW,
      longestFrame: LONGEST_FRAME,
      write: (frame) => this.#write(frame),
      ended: (stream) => this.#forget(stream),
    }
    this.#keepAlive = new KeepAlive(keepAlive, clock, {
      needed: () => this.#streams.size > 0,
      ping: () => this.#write(encodeFrame({ type: PING, payload: Buffer.alloc(8) })),
      lost: () => this.close('the other end does not respond'),
    })
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.close(networkErrorText(error)))
    socket.on('close', () => this.close('the connection was closed'))
    socket.on('end', () => this.close('the connection was closed'))
    this.#write(PREFACE)
    this.#write(encodeFrame({ type: SETTINGS, payload: Buffer.concat([setting(ENABLE_PUSH, 0), setting(INITIAL_WINDOW, STREAM_WINDOW)]) }))
    this.#write(encodeFrame({ type: WINDOW_UPDATE, payload: encodeNumber(CONNECTION_WINDOW - DEFAULT_WINDOW) }))
  }

  /** Whether streams can be opened. */
  get open(): boolean {
    return this.#closed === undefined && !this.#leaving
  }

  /** Begins a request. `headers` is a block that does not depend on others ({@link encodePlainly}). */
  request(headers: Buffer, handlers: StreamHandlers): Http2Stream {
    const stream = new Http2Stream({ headers, handlers, link: this.#link, receiveWindow: STREAM_WINDOW })
    if (!this.open) stream.fail({ reason: this.#closed ?? 'the server is leaving', unprocessed: true })
    else if (this.#full) this.#queued.add(stream)
    else this.#begin(stream)
    return stream
  }

  /** Ends the connection; the streams that are open fail with the reason. */
  close(reason: string): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    this.#keepAlive[Symbol.dispose]()
    this.#readiness.reject(new FrameError(reason))
    this.#socket.destroy()
    for (const stream of this.#queued) stream.fail({ reason, unprocessed: true })
    for (const stream of this.#streams.values()) stream.fail({ reason, unprocessed: false })
  }

  [Symbol.dispose](): void {
    this.close('this end has closed the connection')
  }

  #openQueued(): void {
    for (const stream of this.#queued) {
      if (this.#full) return
      this.#queued.delete(stream)
      this.#begin(stream)
    }
  }

  get #full(): boolean {
    return this.#streams.size >= this.#mostStreams
  }

  #begin(stream: Http2Stream): void {
    const id = this.#nextStream
    this.#nextStream += 2
    if (this.#nextStream > LAST_STREAM) this.#leave()
    this.#streams.set(id, stream)
    stream.open(id)
  }

  #forget(stream: Http2Stream): void {
    this.#queued.delete(stream)
    if (stream.id !== undefined) this.#streams.delete(stream.id)
    if (this.#closed !== undefined) return
    if (this.#leaving && this.#streams.size === 0) this.close('the server has left')
    else this.#openQueued()
  }

  #write(frame: Buffer): void {
    if (this.#closed !== undefined) return
    if (this.#out.length === 0) nextTurn(() => this.#flush())
    this.#out.push(frame)
  }

  #flush(): void {
    const frames = this.#out
    this.#out = []
    if (this.#closed === undefined) this.#socket.write(frames.length === 1 ? frames[0] : Buffer.concat(frames))
  }

  #receive(chunk: Buffer): void {
    if (this.#closed !== undefined) return
    this.#keepAlive.heard()
    try {
      this.#reader.push(chunk, (frame) => this.#onFrame(frame))
    } catch (error) {
      // What is not HTTP/2 ends the connection; an exception of a reader of a stream does so, too.
      this.close(messageOf(error))
    }
  }

  #onFrame(frame: Frame): void {
    if (this.#blocks.partial && frame.type !== CONTINUATION) throw new FrameError('headers that are interrupted')
    this.#on[frame.type]?.(frame)
  }

  #onData(frame: Frame): void {
    this.#unacknowledged += frame.payload.length
    if (this.#unacknowledged >= CONNECTION_WINDOW / 2) {
      this.#write(encodeFrame({ type: WINDOW_UPDATE, payload: encodeNumber(this.#unacknowledged) }))
      this.#unacknowledged = 0
    }
    const stream = this.#streams.get(frame.stream)
    // A stream that was cancelled here may still have data on its way.
    stream?.onData(contentOf(frame), frame.payload.length)
    if (frame.flags & END_STREAM) stream?.onEnd()
  }

  #onHeaders(frame: Frame): void {
    const block = this.#blocks.push(frame)
    const stream = block && this.#streams.get(block.stream)
    if (block === undefined || stream === undefined) return
    stream.onHeaders(block.fields)
    if (block.flags & END_STREAM) stream.onEnd()
  }

  #onPing(frame: Frame): void {
    if ((frame.flags & ACK) === 0) this.#write(encodeFrame({ ...frame, flags: ACK }))
  }

  #onSettings({ flags, payload }: Frame): void {
    if (flags & ACK) return
    for (let at = 0; at + 6 <= payload.length; at += 6) this.#set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2))
    this.#write(encodeFrame({ type: SETTINGS, flags: ACK }))
    this.#readiness.resolve()
    this.#openQueued()
  }

  #set(setting: number, value: number): void {
    if (setting === MOST_STREAMS) this.#mostStreams = value
    if (setting === MAX_FRAME) this.#link.longestFrame = value
    if (setting !== INITIAL_WINDOW) return
    const more = value - this.#link.streamWindow
    this.#link.streamWindow = value
    for (const stream of this.#streams.values()) stream.widen(more)
  }

  #onWindow({ stream, payload }: Frame): void {
    const more = numberOf(payload, 0) & 0x7fffffff
    if (stream !== 0) this.#streams.get(stream)?.widen(more)
    else this.#widen(more)
  }

  #widen(more: number): void {
    this.#link.window += more
    for (const waiting of this.#streams.values()) if (waiting.waits) waiting.pump()
  }

  /** The server accepts no more streams. Those that it has not begun may be opened again elsewhere. */
  #onGoaway(payload: Buffer): void {
    const last = numberOf(payload, 0) & 0x7fffffff
    this.#leave()
    for (const [id, stream] of this.#streams) if (id > last) stream.fail({ reason: 'the server is leaving', unprocessed: true })
    if (this.#streams.size === 0) this.close('the server has left')
  }

  #leave(): void {
    this.#leaving = true
    for (const stream of this.#queued) stream.fail({ reason: 'the server is leaving', unprocessed: true })
  }
}

function setting(number: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(6)
  bytes.writeUInt16BE(number)
  bytes.writeUInt32BE(value, 2)
  return bytes
}

function numberOf(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw new FrameError('a frame that ends too early')
  return payload.readUInt32BE(at)
}
