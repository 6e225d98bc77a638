import { contentOf, END_HEADERS, type Frame, FrameError, HEADERS } from './frames.ts'
import { type HeaderField, HpackDecoder } from './hpack-decoder.ts'

/** Of one block. */
const MOST_BYTES = 64 << 10

/** The headers of one request or response, or its trailers. */
export interface HeaderBlock {
  readonly stream: number
  /** Of the frame that began it. */
  readonly flags: number
  readonly fields: readonly HeaderField[]
}

/** Puts the blocks of one direction of a connection together, from HEADERS and CONTINUATION frames. */
export class HeaderBlocks {
  readonly #decoder = new HpackDecoder()
  #begun: { readonly frame: Frame; readonly parts: Buffer[]; bytes: number } | undefined

  /** Whether a block has begun, and not ended: then only its continuation may follow. */
  get partial(): boolean {
    return this.#begun !== undefined
  }

  /**
   * The block that ends with this frame. Each one has to be decoded, because later ones refer to it. @throws {FrameError} or {HpackError}
   */
  push(frame: Frame): HeaderBlock | undefined {
    if (frame.type === HEADERS) this.#begun = { frame, parts: [], bytes: 0 }
    const begun = this.#begun
    if (begun === undefined || begun.frame.stream !== frame.stream) throw new FrameError('headers that continue nothing')
    const part = frame.type === HEADERS ? contentOf(frame) : frame.payload
    begun.parts.push(part)
    begun.bytes += part.length
    if (begun.bytes > MOST_BYTES) throw new FrameError(`headers of more than ${MOST_BYTES} bytes`)
    if ((frame.flags & END_HEADERS) === 0) return undefined
    this.#begun = undefined
    const { stream, flags } = begun.frame
    return { stream, flags, fields: this.#decoder.decode(begun.parts.length === 1 ? part : Buffer.concat(begun.parts)) }
  }
}
