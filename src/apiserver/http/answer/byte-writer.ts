/** Bytes that are put together in one buffer, which leaves when it is full enough. */
export class ByteWriter {
  #buffer: Buffer
  #length = 0
  #spare: Buffer | undefined
  #taken: Buffer | undefined

  /** Room for so many bytes at first; it grows. */
  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafe(capacity)
  }

  get length(): number {
    return this.#length
  }

  text(text: string): void {
    // A UTF-16 unit is at most three bytes.
    this.#reserve(text.length * 3)
    this.#length += this.#buffer.write(text, this.#length)
  }

  bytes(source: Uint8Array, from = 0, to = source.length): void {
    this.#reserve(to - from)
    this.#buffer.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.#length)
    this.#length += to - from
  }

  /** What was written since the last call. The writer goes on in a buffer of its own. */
  take(): Buffer {
    const taken = this.#buffer
    const bytes = taken.subarray(0, this.#length)
    this.#buffer = this.#spare ?? Buffer.allocUnsafe(taken.length)
    this.#spare = undefined
    this.#length = 0
    this.#taken = taken
    return bytes
  }

  /** Nobody reads any more what was taken last: its room can be used again. */
  giveBack(): void {
    this.#spare = this.#taken
    this.#taken = undefined
  }

  /** What was written, as the end. */
  end(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }
}
