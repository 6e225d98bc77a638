/** Lengths of the message and of what travels behind it. */
const HEAD = 8
/** A frame is never larger than what one value may be, and a batch of small ones. */
const LARGEST = 64 << 20

/** A message as JSON, and bytes behind it. */
export interface Frame<T> {
  readonly message: T
  readonly bytes: Buffer
}

/** A frame as it goes over the wire. */
export function frameBytes(message: unknown, parts: readonly Uint8Array[] = []): Buffer {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.allocUnsafe(HEAD)
  head.writeUInt32LE(text.byteLength, 0)
  head.writeUInt32LE(
    parts.reduce((sum, part) => sum + part.byteLength, 0),
    4,
  )
  return Buffer.concat([head, text, ...parts])
}

/** Makes frames of what comes in pieces. */
export class FrameReader<T> {
  #pieces: Buffer[] = []
  #heldBytes = 0
  /** How many bytes the next step needs: joining the chunks earlier would be wasted. */
  #needs = HEAD

  /** The frames that this piece completes. @throws {RangeError} when it cannot be one */
  push(piece: Buffer): Frame<T>[] {
    this.#pieces.push(piece)
    this.#heldBytes += piece.byteLength
    if (this.#heldBytes < this.#needs) return []
    let held = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces)
    const frames: Frame<T>[] = []
    for (;;) {
      this.#needs = HEAD
      if (held.byteLength < HEAD) break
      const [textBytes, bodyBytes] = [held.readUInt32LE(0), held.readUInt32LE(4)]
      if (textBytes + bodyBytes > LARGEST) throw new RangeError(`a frame of ${textBytes + bodyBytes} bytes is none of a store's`)
      this.#needs = HEAD + textBytes + bodyBytes
      if (held.byteLength < this.#needs) break
      const message: T = JSON.parse(held.toString('utf8', HEAD, HEAD + textBytes))
      frames.push({ message, bytes: held.subarray(HEAD + textBytes, this.#needs) })
      held = held.subarray(this.#needs)
    }
    this.#pieces = held.byteLength === 0 ? [] : [held]
    this.#heldBytes = held.byteLength
    return frames
  }
}
