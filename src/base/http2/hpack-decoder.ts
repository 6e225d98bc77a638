import { END_OF_STRING, HUFFMAN_CODES, LONGEST_CODE, STATIC_TABLE } from './hpack-tables.ts'

export type HeaderField = readonly [name: string, value: string]

/** Bytes that make no sense as headers: the connection ends. */
export class HpackError extends Error {
  override readonly name = 'HpackError'
  readonly code = 'compression'
}

/** The default of an HTTP/2 receiver. */
const TABLE_BYTES = 4096
/** All headers of one block together, decoded. */
const MOST_BYTES = 64 * 1024
const ENTRY_OVERHEAD = 32

/** Reads the header blocks of one direction of an HTTP/2 connection (RFC 7541), in order. Text is latin1: a byte each. */
export class HpackDecoder {
  /** The newest first. */
  readonly #table: HeaderField[] = []
  #tableBytes = 0
  #mostTableBytes = TABLE_BYTES

  /** @throws {HpackError} */
  decode(block: Uint8Array): HeaderField[] {
    const reader = new Reader(block)
    const fields: HeaderField[] = []
    let bytes = 0
    while (!reader.done) {
      const field = this.#next(reader)
      if (field === undefined) continue
      bytes += sizeOf(field)
      if (bytes > MOST_BYTES) throw new HpackError(`headers of more than ${MOST_BYTES} bytes`)
      fields.push(field)
    }
    return fields
  }

  /** A field, or undefined: the table has changed. */
  #next(reader: Reader): HeaderField | undefined {
    const first = reader.peek()
    if (first & 0x80) return this.#entry(reader.integer(7))
    if ((first & 0xe0) === 0x20) {
      const bytes = reader.integer(5)
      if (bytes > TABLE_BYTES) throw new HpackError(`a table of ${bytes} bytes`)
      this.#mostTableBytes = bytes
      this.#evict(0)
      return undefined
    }
    const indexed = (first & 0xc0) === 0x40
    const number = reader.integer(indexed ? 6 : 4)
    const name = number === 0 ? reader.string() : this.#entry(number)[0]
    const field: HeaderField = [name, reader.string()]
    if (indexed) this.#add(field)
    return field
  }

  #entry(number: number): HeaderField {
    const field = number <= STATIC_TABLE.length ? STATIC_TABLE[number - 1] : this.#table[number - STATIC_TABLE.length - 1]
    if (field === undefined) throw new HpackError(`there is no entry ${number}`)
    return field
  }

  #add(field: HeaderField): void {
    const bytes = sizeOf(field)
    this.#evict(bytes)
    if (bytes > this.#mostTableBytes) return
    this.#table.unshift(field)
    this.#tableBytes += bytes
  }

  /** Makes room for so many bytes. */
  #evict(bytes: number): void {
    while (this.#tableBytes + bytes > this.#mostTableBytes) {
      const oldest = this.#table.pop()
      if (oldest === undefined) return
      this.#tableBytes -= sizeOf(oldest)
    }
  }
}

const sizeOf = ([name, value]: HeaderField) => name.length + value.length + ENTRY_OVERHEAD

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  peek(): number {
    return this.#bytes[this.#at] ?? 0
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw new HpackError('headers that end too early')
    return byte
  }

  /** An integer whose first byte has so many bits for it. */
  integer(bits: number): number {
    const most = 2 ** bits - 1
    let value = this.#byte() & most
    if (value < most) return value
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte()
      value += (byte & 0x7f) * 2 ** shift
      if ((byte & 0x80) === 0) return value
    }
    throw new HpackError('an integer that is too large')
  }

  string(): string {
    const packed = (this.peek() & 0x80) !== 0
    const length = this.integer(7)
    const end = this.#at + length
    if (end > this.#bytes.length) throw new HpackError('a string that ends too early')
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return packed ? unpacked(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  }
}

function unpacked(bytes: Uint8Array): string {
  const out: number[] = []
  let [code, length] = [1, 0]
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1)
      length++
      const found = HUFFMAN_CODES.get(code)
      if (found === END_OF_STRING || length > LONGEST_CODE) throw new HpackError('a string with a code that is none')
      if (found === undefined) continue
      out.push(found)
      ;[code, length] = [1, 0]
    }
  // What is left fills the last byte, with ones.
  if (length > 7 || code !== 2 ** (length + 1) - 1) throw new HpackError('a string with a wrong end')
  return Buffer.from(out).toString('latin1')
}

/** A header block with these fields that does not depend on earlier blocks. */
export function encodePlainly(fields: readonly HeaderField[]): Buffer {
  return Buffer.concat(fields.map(([name, value]) => Buffer.concat([Buffer.of(0), text(name), text(value)])))
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  const prefix: number[] = []
  let left = bytes.length
  if (left < 0x7f) prefix.push(left)
  else {
    prefix.push(0x7f)
    for (left -= 0x7f; left >= 0x80; left = Math.floor(left / 0x80)) prefix.push((left & 0x7f) | 0x80)
    prefix.push(left)
  }
  return Buffer.concat([Buffer.from(prefix), bytes])
}
