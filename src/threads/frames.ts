/** The meaning of a frame for its exchange. */
export const FRAME = {
  /** Begins an exchange: `service`, a line end, and what is asked for as JSON. */
  open: 0,
  /** The same; its sender has nothing more to say. */
  openEnded: 1,
  message: 2,
  /** The sender's last message. */
  last: 3,
  /** The sender has nothing more to say. */
  end: 4,
  /** Ends the exchange for both; a Status as JSON says why. */
  fail: 5,
  /** So many bytes of messages were read: u32. */
  credit: 6,
} as const

export type FrameKind = (typeof FRAME)[keyof typeof FRAME]

/** Set in the kind where the receiver has opened the exchange: each side numbers its own. */
const OPENED_BY_RECEIVER = 0x80

/** u8 kind, u32 exchange, u32 bytes of payload. */
const HEAD_BYTES = 9
const FIRST_BYTES = 4096

export interface FrameHead {
  readonly kind: FrameKind
  /** Whether the sender of the frame has opened the exchange. */
  readonly own: boolean
  readonly id: number
}

export interface Frame {
  readonly kind: FrameKind
  /** Whether the receiver of the frame has opened the exchange. */
  readonly own: boolean
  readonly id: number
  /** A view of the parcel: copy what is to last. */
  readonly payload: Buffer
}

/** A buffer that has grown beyond this is released. */
const KEPT_BYTES = 2 << 20

/** Puts the frames of one turn into one parcel, which is transferred and not cloned. */
export class FrameWriter {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Returns how many bytes the payload has. */
  write(head: FrameHead, ...parts: readonly (string | Uint8Array)[]): number {
    let most = HEAD_BYTES
    // A UTF-16 unit is at most three bytes.
    for (const part of parts) most += typeof part === 'string' ? part.length * 3 : part.length
    this.#reserve(most)
    const start = this.#length
    let at = start + HEAD_BYTES
    for (const part of parts) {
      if (typeof part === 'string') at += this.#buffer.write(part, at)
      else {
        this.#buffer.set(part, at)
        at += part.length
      }
    }
    this.#buffer[start] = head.kind | (head.own ? 0 : OPENED_BY_RECEIVER)
    this.#buffer.writeUInt32LE(head.id, start + 1)
    const payloadBytes = at - start - HEAD_BYTES
    this.#buffer.writeUInt32LE(payloadBytes, start + 5)
    this.#length = at
    return payloadBytes
  }

  /** What was written since the last call, in memory of its own. */
  take(): ArrayBuffer {
    const parcel = this.#buffer.buffer.slice(0, this.#length)
    this.#length = 0
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
    return parcel
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }
}

/** The frames of a parcel, in order. */
export function* framesOf(parcel: ArrayBuffer): Generator<Frame> {
  const bytes = Buffer.from(parcel)
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes.readUInt8(at)
    const id = bytes.readUInt32LE(at + 1)
    const start = at + HEAD_BYTES
    at = start + bytes.readUInt32LE(at + 5)
    yield {
      kind: (kind & ~OPENED_BY_RECEIVER) as FrameKind,
      own: (kind & OPENED_BY_RECEIVER) !== 0,
      id,
      payload: bytes.subarray(start, at),
    }
  }
}
