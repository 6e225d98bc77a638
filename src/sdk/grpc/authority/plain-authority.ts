import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import {
  CONTINUATION,
  contentOf,
  END_HEADERS,
  END_STREAM,
  FRAME_HEAD_BYTES,
  HEADERS,
  LONGEST_FRAME,
  PREFACE,
} from '../../../base/http2/frames.ts'
import { encodePlainly, type HeaderField, HpackDecoder, HpackError } from '../../../base/http2/hpack-decoder.ts'
import { errorOf } from '../../../base/message-of.ts'

/** Of one block, as it was sent. */
const LONGEST_BLOCK = 64 * 1024

/** The characters of an authority (RFC 3986). A path has others: HTTP/2 servers that validate it end the stream. */
const AUTHORITY = /^[\w.~!$&'()*+,;=:@%[\]-]+$/

/**
 * Rewrites the bytes of an HTTP/2 client: an invalid `:authority` becomes `localhost`. Clients of gRPC on unix sockets, above all those of
 * older Go modules, send the path of the socket there; gRPC servers in Go accept it, Node's HTTP/2 does not.
 */
export class PlainAuthority {
  readonly #decoder = new HpackDecoder()
  #waiting = Buffer.alloc(0)
  #begun = false
  #block: { readonly stream: number; readonly flags: number; readonly parts: Buffer[]; bytes: number } | undefined

  /** The bytes to pass on. @throws {HpackError} or {FrameError} */
  push(chunk: Uint8Array): Buffer {
    const bytes = this.#waiting.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#waiting, chunk])
    const out: Buffer[] = []
    let at = 0
    if (!this.#begun) {
      if (bytes.length < PREFACE.length) {
        this.#waiting = bytes
        return Buffer.alloc(0)
      }
      this.#begun = true
      at = PREFACE.length
      out.push(bytes.subarray(0, at))
    }
    while (bytes.length - at >= FRAME_HEAD_BYTES) {
      const length = bytes.readUIntBE(at, 3)
      if (length > LONGEST_FRAME) throw new HpackError(`a frame of ${length} bytes`)
      const end = at + FRAME_HEAD_BYTES + length
      if (end > bytes.length) break
      this.#frame(bytes.subarray(at, end), out)
      at = end
    }
    this.#waiting = bytes.subarray(at)
    return Buffer.concat(out)
  }

  #frame(frame: Buffer, out: Buffer[]): void {
    const type = frame[3]
    const flags = frame[4] ?? 0
    const stream = frame.readUInt32BE(5) & 0x7fffffff
    const payload = frame.subarray(FRAME_HEAD_BYTES)
    if (type === HEADERS && this.#block === undefined) this.#block = { stream, flags, parts: [], bytes: 0 }
    else if (this.#block === undefined) return void out.push(frame)
    else if (type !== CONTINUATION || stream !== this.#block.stream) throw new HpackError('headers that are interrupted')
    const block = this.#block
    const part = type === HEADERS ? contentOf({ type, flags, payload }) : payload
    block.parts.push(part)
    block.bytes += part.length
    if (block.bytes > LONGEST_BLOCK) throw new HpackError(`headers of more than ${LONGEST_BLOCK} bytes`)
    if ((flags & END_HEADERS) === 0) return
    this.#block = undefined
    const fields = this.#decoder.decode(Buffer.concat(block.parts)).map(plain)
    out.push(...headerFrames(encodePlainly(fields), block))
  }
}

const plain = ([name, value]: HeaderField): HeaderField => [name, name === ':authority' && !AUTHORITY.test(value) ? 'localhost' : value]

function headerFrames(block: Buffer, { stream, flags }: { readonly stream: number; readonly flags: number }): Buffer[] {
  const frames: Buffer[] = []
  for (let at = 0; at === 0 || at < block.length; at += LONGEST_FRAME) {
    const part = block.subarray(at, at + LONGEST_FRAME)
    const head = Buffer.alloc(FRAME_HEAD_BYTES)
    head.writeUIntBE(part.length, 0, 3)
    head[3] = at === 0 ? HEADERS : CONTINUATION
    head[4] = (at === 0 ? flags & END_STREAM : 0) | (at + LONGEST_FRAME >= block.length ? END_HEADERS : 0)
    head.writeUInt32BE(stream, 5)
    frames.push(head, part)
  }
  return frames
}

/** The connection as an HTTP/2 server should see it. */
export function withPlainAuthority(socket: Socket): Duplex {
  const filter = new PlainAuthority()
  const seen = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, () => done()),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk: Buffer) => {
    try {
      const bytes = filter.push(chunk)
      if (bytes.length > 0 && !seen.push(bytes)) socket.pause()
    } catch (error) {
      seen.destroy(errorOf(error))
    }
  })
  socket.on('end', () => seen.push(null))
  socket.on('error', (error) => seen.destroy(error))
  socket.on('close', () => seen.destroy())
  return seen
}
