import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'

/** Before each message: a byte that says whether it is compressed, and its length. */
const PREFIX_BYTES = 5
/** What a buffer of Node can hold is more; a message of etcd is a page of values. */
const LONGEST_MESSAGE = 2 ** 30

/** A message as it is sent. */
export function framed(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length)
  bytes[0] = 0
  bytes.writeUInt32BE(message.length, 1)
  bytes.set(message, PREFIX_BYTES)
  return bytes
}

/** Cuts the bytes of a stream into messages; a large one is put together once. */
export class MessageReader {
  #parts: Buffer[] = []
  #bytes = 0
  #wanted = PREFIX_BYTES

  /** Whether a message has begun, and not ended. */
  get partial(): boolean {
    return this.#bytes > 0
  }

  /** Calls `each` for every message that is complete now. @throws {GrpcError} */
  push(chunk: Buffer, each: (message: Buffer) => void): void {
    this.#parts.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes >= this.#wanted) {
      const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts)
      const end = PREFIX_BYTES + lengthOf(bytes)
      if (bytes.length < end) {
        this.#parts = [bytes]
        this.#wanted = end
        return
      }
      each(bytes.subarray(PREFIX_BYTES, end))
      chunk = bytes.subarray(end)
      this.#parts = [chunk]
      this.#bytes = chunk.length
      this.#wanted = PREFIX_BYTES
    }
  }
}

function lengthOf(bytes: Buffer): number {
  if (bytes[0] !== 0) throw new GrpcError('Internal', 'a compressed message, although none was asked for')
  const length = bytes.readUInt32BE(1)
  if (length > LONGEST_MESSAGE)
    throw new GrpcError('ResourceExhausted', `received message larger than max (${length} vs. ${LONGEST_MESSAGE})`)
  return length
}
