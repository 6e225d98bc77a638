import type { JournalRecord } from './journal.ts'
import { type Packed, pack, unpack } from './packed-records.ts'

const HEAD = 12

/** Records as bytes, for a file or a wire: the lengths of the three parts of a `Packed`, then the parts. */
export function recordBytes(records: readonly JournalRecord[]): Buffer[] {
  const { keys, numbers, values } = pack(records)
  const text = Buffer.from(keys)
  const head = Buffer.allocUnsafe(HEAD)
  head.writeUInt32LE(numbers.byteLength, 0)
  head.writeUInt32LE(text.byteLength, 4)
  head.writeUInt32LE(values.byteLength, 8)
  return [head, Buffer.from(numbers.buffer), text, Buffer.from(values.buffer)]
}

/** The records of such bytes. Their values are views into a copy: the bytes may be used again. */
export function recordsOf(bytes: Buffer): JournalRecord[] {
  const [numberBytes, keyBytes, valueBytes] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  if (HEAD + numberBytes + keyBytes + valueBytes !== bytes.byteLength)
    throw new RangeError('the lengths of a batch of records do not add up')
  const numbers = new Float64Array(numberBytes / 8)
  bytes.copy(new Uint8Array(numbers.buffer), 0, HEAD, HEAD + numberBytes)
  const keysEnd = HEAD + numberBytes + keyBytes
  const packed: Packed = {
    keys: bytes.toString('utf8', HEAD + numberBytes, keysEnd),
    numbers,
    values: new Uint8Array(bytes.subarray(keysEnd)),
  }
  return [...unpack(packed)]
}
