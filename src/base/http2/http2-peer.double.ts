import type { Duplex } from 'node:stream'
import { quietErrors } from '../quiet.ts'
import { ACK, DATA, END_HEADERS, END_STREAM, encodeFrame, type Frame, FrameReader, HEADERS, PING, PREFACE, SETTINGS } from './frames.ts'
import { encodePlainly, type HeaderField, HpackDecoder } from './hpack-decoder.ts'

/** The server's end of a connection, frame by frame: it says only what a test has it say. */
export class Http2Peer {
  /** What the client has sent, in order. */
  readonly frames: Frame[] = []
  readonly #socket: Duplex
  readonly #reader = new FrameReader()
  readonly #decoder = new HpackDecoder()
  #skip = PREFACE.length
  #woken = Promise.withResolvers<void>()

  constructor(socket: Duplex) {
    this.#socket = socket
    quietErrors(socket, 'the client may leave at any time')
    socket.on('data', (chunk: Buffer) => {
      const rest = chunk.subarray(Math.min(this.#skip, chunk.length))
      this.#skip -= chunk.length - rest.length
      this.#reader.push(rest, (frame) => void this.frames.push({ ...frame, payload: Buffer.from(frame.payload) }))
      this.#woken.resolve()
      this.#woken = Promise.withResolvers()
    })
  }

  /** The first frame that fulfils the condition, as soon as it has come. */
  async until(condition: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(condition)
      if (found !== undefined) return found
      await this.#woken.promise
    }
  }

  /** Resolves when the client has processed everything that was sent. */
  async pinged(): Promise<void> {
    const before = this.frames.length
    this.send({ type: PING, payload: Buffer.alloc(8) })
    await this.until((frame) => frame.type === PING && frame.flags === ACK && this.frames.indexOf(frame) >= before)
  }

  /** The headers of a request. */
  async headersOf(stream: number): Promise<ReadonlyMap<string, string>> {
    const { payload } = await this.until((frame) => frame.type === HEADERS && frame.stream === stream)
    return new Map(this.#decoder.decode(payload))
  }

  send(frame: Partial<Frame> & Pick<Frame, 'type'>): void {
    this.raw(encodeFrame(frame))
  }

  raw(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  settings(...pairs: readonly (readonly [number, number])[]): void {
    const payload = Buffer.alloc(pairs.length * 6)
    for (const [i, [setting, value]] of pairs.entries()) {
      payload.writeUInt16BE(setting, i * 6)
      payload.writeUInt32BE(value, i * 6 + 2)
    }
    this.send({ type: SETTINGS, payload })
  }

  headers(stream: number, fields: readonly HeaderField[], { last = false } = {}): void {
    this.send({ type: HEADERS, flags: END_HEADERS | (last ? END_STREAM : 0), stream, payload: encodePlainly(fields) })
  }

  data(stream: number, payload: Buffer, { last = false } = {}): void {
    this.send({ type: DATA, flags: last ? END_STREAM : 0, stream, payload })
  }

  end(): void {
    this.#socket.destroy()
  }

  /** How many bytes of data the client has sent on a stream. */
  dataBytes(stream: number): number {
    return this.frames.filter((f) => f.type === DATA && f.stream === stream).reduce((sum, { payload }) => sum + payload.length, 0)
  }
}
