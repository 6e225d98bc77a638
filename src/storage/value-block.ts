import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** How many bytes of unpacked blocks are cached for subsequent reads: a list reads in order. */
const UNPACKED_BYTES = 8 << 20

/** The blocks that were read last, unpacked, the latest at the end; shared by blocks that are read by turns. */
export class UnpackedBlocks {
  readonly #byBlock = new Map<ValueBlock, Buffer>()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  get(block: ValueBlock): Buffer | undefined {
    const bytes = this.#byBlock.get(block)
    if (bytes === undefined) return undefined
    this.#byBlock.delete(block)
    this.#byBlock.set(block, bytes)
    return bytes
  }

  set(block: ValueBlock, bytes: Buffer): void {
    this.#byBlock.set(block, bytes)
    this.#bytes += bytes.byteLength
    for (const [oldest, { byteLength }] of this.#byBlock) {
      if (this.#bytes <= UNPACKED_BYTES || oldest === block) return
      this.#byBlock.delete(oldest)
      this.#bytes -= byteLength
    }
  }
}

/** Half as much time as deflate takes at its fastest, and a tenth less room. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Values that are packed together: their common parts are stored once. */
export class ValueBlock {
  readonly #packed: Buffer
  readonly #unpacked: UnpackedBlocks

  constructor(values: readonly Uint8Array[], unpacked: UnpackedBlocks) {
    const packed = zstdCompressSync(Buffer.concat(values), FAST)
    // A copy: zlib's buffer is larger than what is in it.
    this.#packed = Buffer.allocUnsafeSlow(packed.byteLength)
    packed.copy(this.#packed)
    this.#unpacked = unpacked
  }

  /** Must be read at once: a reference to it keeps the values of the whole block. */
  read(at: number, sizeBytes: number): Uint8Array {
    let bytes = this.#unpacked.get(this)
    if (bytes === undefined) {
      bytes = zstdDecompressSync(this.#packed)
      this.#unpacked.set(this, bytes)
    }
    return bytes.subarray(at, at + sizeBytes)
  }
}
