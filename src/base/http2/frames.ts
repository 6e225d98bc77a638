/** The frames of HTTP/2 (RFC 9113, sections 4 and 6). */
export interface Frame {
  readonly type: number
  readonly flags: number
  /** 0: the connection. */
  readonly stream: number
  readonly payload: Buffer
}

/** Bytes that are no HTTP/2: the connection ends. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
  readonly code = 'framing'
}

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
export const FRAME_HEAD_BYTES = 9
/** The longest payload that an end may send which was not allowed more. */
export const LONGEST_FRAME = 16_384

export const DATA = 0
export const HEADERS = 1
export const RST_STREAM = 3
export const SETTINGS = 4
export const PUSH_PROMISE = 5
export const PING = 6
export const GOAWAY = 7
export const WINDOW_UPDATE = 8
export const CONTINUATION = 9

export const END_STREAM = 0x1
export const ACK = 0x1
export const END_HEADERS = 0x4
export const PADDED = 0x8
export const PRIORITY = 0x20

const NOTHING = Buffer.alloc(0)

type FrameInit = Partial<Frame> & Pick<Frame, 'type'>

export function encodeFrame(frame: FrameInit): Buffer {
  const { payload = NOTHING } = frame
  return payload.length === 0 ? encodeHead(frame) : Buffer.concat([encodeHead(frame), payload])
}

/** The frame without its payload, which is written next. */
export function encodeHead({ type, flags = 0, stream = 0, payload = NOTHING }: FrameInit): Buffer {
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return head
}

/** A payload of one number of four bytes: an error code, or a window's increment. */
export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Cuts the bytes of one direction of a connection into frames. */
export class FrameReader {
  #rest: Buffer = NOTHING

  /** Calls `each` for every frame that is complete now; its payload is a view. @throws {FrameError} */
  push(chunk: Buffer, each: (frame: Frame) => void): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    while (bytes.length - at >= FRAME_HEAD_BYTES) {
      const length = bytes.readUIntBE(at, 3)
      if (length > LONGEST_FRAME) throw new FrameError(`a frame of ${length} bytes`)
      const start = at + FRAME_HEAD_BYTES
      if (start + length > bytes.length) break
      const [type = 0, flags = 0] = [bytes[at + 3], bytes[at + 4]]
      const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff
      at = start + length
      each({ type, flags, stream, payload: bytes.subarray(start, at) })
    }
    this.#rest = bytes.subarray(at)
  }
}

/** The payload of DATA or HEADERS without padding and priority, which are not used. @throws {FrameError} */
export function contentOf({ type, flags, payload }: Pick<Frame, 'type' | 'flags' | 'payload'>): Buffer {
  if ((flags & (PADDED | PRIORITY)) === 0) return payload
  const padding = flags & PADDED ? (payload[0] ?? 0) : 0
  const start = (flags & PADDED ? 1 : 0) + (type === HEADERS && flags & PRIORITY ? 5 : 0)
  if (start + padding > payload.length) throw new FrameError('a frame that is all padding')
  return payload.subarray(start, payload.length - padding)
}
