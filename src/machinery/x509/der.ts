/**
 * The part of ASN.1 DER (X.690) that certificates and certificate requests need, for reading and writing. Our own, because `@peculiar/x509`
 * needs a reflection polyfill and takes longer to import than a whole cluster may take to start.
 */

/** Universal tags, and the bit that marks a constructed value. */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  printable: 0x13,
  ia5: 0x16,
  utcTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** One value: tag, length, content. */
export function encode(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const size = content.reduce((sum, c) => sum + c.length, 0)
  const length: number[] = []
  if (size < 0x80) length.push(size)
  else {
    for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest & 0xff)
    length.unshift(0x80 | length.length)
  }
  return Buffer.concat([Buffer.from([tag, ...length]), ...content])
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => encode(TAG.sequence, ...content)
export const set = (...content: readonly Uint8Array[]): Buffer => encode(TAG.set, ...content)
/** A value at context position `n`: `[n] EXPLICIT`. */
export const explicit = (n: number, ...content: readonly Uint8Array[]): Buffer => encode(0xa0 | n, ...content)
export const octetString = (content: Uint8Array): Buffer => encode(TAG.octetString, content)
export const utf8 = (text: string): Buffer => encode(TAG.utf8, Buffer.from(text))
export const boolean = (value: boolean): Buffer => encode(0x01, Buffer.from([value ? 0xff : 0]))
export const bitString = (content: Uint8Array, unusedBits = 0): Buffer => encode(TAG.bitString, Buffer.from([unusedBits]), content)

/** A non-negative integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const body = bytes.subarray(start)
  return encode(TAG.integer, ...((body[0] ?? 0) >= 0x80 ? [Buffer.from([0]), body] : [body]))
}

/** `1.2.840.10045.2.1` */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes: number[] = []
  for (const arc of [first * 40 + second, ...rest]) {
    const groups = [arc & 0x7f]
    for (let a = Math.floor(arc / 128); a > 0; a = Math.floor(a / 128)) groups.unshift(0x80 | (a & 0x7f))
    bytes.push(...groups)
  }
  return encode(TAG.oid, Buffer.from(bytes))
}

/** UTCTime up to 2049 and GeneralizedTime after, as RFC 5280 requires. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')
  return Number(digits.slice(0, 4)) < 2050
    ? encode(TAG.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : encode(TAG.time, Buffer.from(`${digits}Z`))
}

/** A decoded value; `raw` is the whole of it, tag and length included. */
export interface DerValue {
  readonly tag: number
  readonly content: Buffer
  readonly raw: Buffer
}

/** The bytes are not DER, or not the expected structure. */
export class DerError extends Error {
  override readonly name = 'DerError'
  readonly code = 'malformed'
}

/** Reads the value at the start of `bytes`. */
export function decode(bytes: Buffer): DerValue {
  const tag = bytes[0]
  let size = bytes[1]
  if (tag === undefined || size === undefined || (tag & 0x1f) === 0x1f) throw new DerError('truncated value')
  let header = 2
  if (size >= 0x80) {
    const count = size & 0x7f
    if (count === 0 || count > 4 || bytes.length < 2 + count) throw new DerError('bad length')
    size = bytes.readUIntBE(2, count)
    header += count
  }
  if (bytes.length < header + size) throw new DerError('truncated value')
  return { tag, content: bytes.subarray(header, header + size), raw: bytes.subarray(0, header + size) }
}

/** The values inside a constructed one. */
export function children(value: DerValue): DerValue[] {
  const found: DerValue[] = []
  for (let rest = value.content; rest.length > 0; ) {
    const next = decode(rest)
    found.push(next)
    rest = rest.subarray(next.raw.length)
  }
  return found
}

/** The dotted text of an object identifier. */
export function oidText(value: DerValue): string {
  const arcs: number[] = []
  let arc = 0
  for (const byte of value.content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0
    }
  }
  const first = arcs[0] ?? 0
  const top = Math.min(2, Math.floor(first / 40))
  return [top, first - top * 40, ...arcs.slice(1)].join('.')
}
