/** A growing buffer; `take` removes its content when there is enough to send. */
export class ByteWriter {
  #buffer: Buffer
  #length = 0
  #spare: Buffer | undefined
  #taken: Buffer | undefined

  /** `capacity`: the initial size in bytes; it grows. */
  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafe(capacity)
  }

  get length(): number {
    return this.#length
  }

  text(text: string): void {
    // A UTF-16 code unit is at most three bytes of UTF-8.
    this.#reserve(text.length * 3)
    this.#length += this.#buffer.write(text, this.#length)
  }

  bytes(source: Uint8Array, from = 0, to = source.length): void {
    this.#reserve(to - from)
    this.#buffer.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.#length)
    this.#length += to - from
  }

  /** The bytes written since the last call. The writer continues in a new buffer. */
  take(): Buffer {
    const taken = this.#buffer
    const bytes = taken.subarray(0, this.#length)
    this.#buffer = this.#spare ?? Buffer.allocUnsafe(taken.length)
    this.#spare = undefined
    this.#length = 0
    this.#taken = taken
    return bytes
  }

  /** Reuses the buffer that was taken last; it must not be read any more. */
  giveBack(): void {
    this.#spare = this.#taken
    this.#taken = undefined
  }

  /** The remaining bytes. */
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
