import type { Duplex } from 'node:stream'
import type { LinkPort } from './link.ts'

const HEAD_BYTES = 4

/** A port over a stream of bytes, for a link between two processes. A parcel follows its length, 32 bits little-endian. */
export function streamPort(stream: Duplex): LinkPort {
  return {
    postMessage(parcel) {
      const head = Buffer.allocUnsafe(HEAD_BYTES)
      head.writeUInt32LE(parcel.byteLength)
      stream.cork()
      stream.write(head)
      stream.write(new Uint8Array(parcel))
      stream.uncork()
    },
    on(_event, listener) {
      const parcels = new ParcelReader(listener)
      stream.on('data', (chunk: Buffer) => parcels.read(chunk))
      return stream
    },
  }
}

/** Puts parcels together from the chunks of a stream. Each byte is copied once. */
class ParcelReader {
  readonly #listener: (parcel: ArrayBuffer) => void
  readonly #head = Buffer.alloc(HEAD_BYTES)
  /** Undefined: the length comes first. */
  #parcel: Uint8Array<ArrayBuffer> | undefined
  /** Of the head, or of the parcel. */
  #filled = 0

  constructor(listener: (parcel: ArrayBuffer) => void) {
    this.#listener = listener
  }

  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const into = this.#parcel ?? this.#head
      const piece = chunk.subarray(at, at + into.length - this.#filled)
      into.set(piece, this.#filled)
      at += piece.length
      this.#filled += piece.length
      if (this.#filled === into.length) this.#full()
    }
  }

  #full(): void {
    this.#filled = 0
    if (this.#parcel === undefined) this.#parcel = new Uint8Array(this.#head.readUInt32LE(0))
    else {
      const { buffer } = this.#parcel
      this.#parcel = undefined
      this.#listener(buffer)
    }
  }
}
