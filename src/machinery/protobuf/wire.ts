/** An invalid message: truncated, a field of another wire type, or too deep. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}

/** The wire types in use: a varint, eight bytes, a length with bytes, four bytes; and both ends of a group, which is skipped. */
export const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
export const FIXED32 = 5
const START_GROUP = 3
export const END_GROUP = 4

/** Room for the tags and lengths around a long value, so that it is not copied again at once. */
const SPARE = 64

/** Texts up to this length are written here: a call of Node's code takes longer. */
const SHORT = 24

/**
 * Writes a message backwards: lengths are known when they are written, and nothing is measured or copied twice.
 * Fields, and the elements of lists, are written in reverse order.
 */
export class ReverseWriter {
  #buffer: Buffer
  #at: number

  constructor(capacity = 1024) {
    this.#buffer = Buffer.allocUnsafe(capacity)
    this.#at = capacity
  }

  /** The number of written bytes. */
  get length(): number {
    return this.#buffer.length - this.#at
  }

  /** The written bytes. They are a view: do not use the writer any more. */
  finish(): Buffer {
    return this.#buffer.subarray(this.#at)
  }

  #room(bytes: number): number {
    if (this.#at < bytes) {
      const used = this.length
      const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, used + bytes + SPARE))
      this.#buffer.copy(grown, grown.length - used, this.#at)
      this.#at = grown.length - used
      this.#buffer = grown
    }
    this.#at -= bytes
    return this.#at
  }

  /** Writes the number and wire type of the field whose value was just written. */
  tag(field: number, wireType: number) {
    this.varint(field * 8 + wireType)
  }

  /** Writes a non-negative integer below 2^53. */
  varint(value: number) {
    if (value < 0x80) {
      const at = this.#room(1) // before `this.#buffer` is read: it may be replaced
      this.#buffer[at] = value
      return
    }
    let size = 1
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) size++
    let at = this.#room(size)
    let rest = value
    for (; size > 1; size--) {
      this.#buffer[at++] = (rest % 128) | 0x80
      rest = Math.floor(rest / 128)
    }
    this.#buffer[at] = rest
  }

  /** Two's complement of 64 bits, as int32 and int64 are written. */
  int(value: number | bigint) {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value)
      return
    }
    let rest = BigInt.asUintN(64, BigInt(value))
    const bytes: number[] = []
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    bytes.push(Number(rest))
    const at = this.#room(bytes.length)
    for (const [i, byte] of bytes.entries()) this.#buffer[at + i] = byte
  }

  double(value: number) {
    const at = this.#room(8)
    this.#buffer.writeDoubleLE(value, at)
  }

  /** A length and the bytes. */
  bytes(value: Uint8Array) {
    this.raw(value)
    this.varint(value.length)
  }

  raw(value: Uint8Array) {
    const at = this.#room(value.length)
    this.#buffer.set(value, at)
  }

  /** A length and the text as UTF-8. */
  string(value: string) {
    if (value.length <= SHORT && this.#ascii(value)) {
      this.varint(value.length)
      return
    }
    const size = Buffer.byteLength(value)
    const at = this.#room(size)
    this.#buffer.write(value, at, size)
    this.varint(size)
  }

  /** Writes a text of ASCII characters; false: it has others, and nothing is written. */
  #ascii(value: string): boolean {
    const at = this.#room(value.length)
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0x7f) {
        this.#at += value.length
        return false
      }
      this.#buffer[at + i] = code
    }
    return true
  }
}

/** Reads a message from its beginning to `end`. */
export class Reader {
  readonly #buffer: Buffer
  #at: number
  readonly #end: number

  constructor(buffer: Uint8Array, at = 0, end = buffer.length) {
    this.#buffer = buffer instanceof Buffer ? buffer : Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    this.#at = at
    this.#end = end
  }

  get done(): boolean {
    return this.#at >= this.#end
  }

  #take(bytes: number): number {
    const at = this.#at
    if (bytes > this.#end - at) throw new ProtobufError('unexpected EOF')
    this.#at += bytes
    return at
  }

  /** A whole number below 2^53: tags and lengths. */
  varint(): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < 10; i++) {
      const byte = this.#buffer[this.#take(1)] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
    throw new ProtobufError('proto: integer overflow')
  }

  /** int32, int64 and bool: two's complement of 64 bits. */
  int(): number | bigint {
    const start = this.#at
    const value = this.varint()
    if (this.#at - start < 8) return value
    let exact = 0n
    for (let i = start; i < this.#at; i++) exact |= BigInt((this.#buffer[i] ?? 0) & 0x7f) << BigInt(7 * (i - start))
    const signed = BigInt.asIntN(64, exact)
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed
  }

  /** The same, but integers beyond 2^53 are rounded. */
  number(): number {
    const start = this.#at
    const value = this.varint()
    if (this.#at - start < 8) return value
    let low = 0
    let high = 0
    for (let i = start, shift = 0; i < this.#at; i++, shift += 7) {
      const bits = (this.#buffer[i] ?? 0) & 0x7f
      if (shift < 32) low |= bits << shift
      if (shift > 25) high |= shift < 32 ? bits >> (32 - shift) : bits << (shift - 32)
    }
    return high * 2 ** 32 + (low >>> 0)
  }

  double(): number {
    return this.#buffer.readDoubleLE(this.#take(8))
  }

  string(): string {
    const size = this.varint()
    const at = this.#take(size)
    return this.#buffer.toString('utf8', at, at + size)
  }

  bytes(): Buffer {
    const size = this.varint()
    const at = this.#take(size)
    return this.#buffer.subarray(at, at + size)
  }

  /** The message in the field that comes now. */
  message(): Reader {
    const size = this.varint()
    const at = this.#take(size)
    return new Reader(this.#buffer, at, at + size)
  }

  /** Skips an unknown field. */
  skip(wireType: number) {
    if (wireType === VARINT) this.varint()
    else if (wireType === FIXED64) this.#take(8)
    else if (wireType === BYTES) this.#take(this.varint())
    else if (wireType === FIXED32) this.#take(4)
    else if (wireType === START_GROUP) this.#skipGroup()
    else throw new ProtobufError(`proto: illegal wireType ${wireType}`)
  }

  /** Groups, an old form of messages, may be nested. */
  #skipGroup() {
    for (let depth = 1; depth > 0; ) {
      const wireType = this.varint() % 8
      if (wireType === START_GROUP) depth++
      else if (wireType === END_GROUP) depth--
      else this.skip(wireType)
    }
  }
}
