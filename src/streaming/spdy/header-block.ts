import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib'
import { quiet } from '../../base/quiet.ts'
import { SPDY_DICTIONARY } from './dictionary.ts'

export type SpdyHeaders = Readonly<Record<string, string>>

/** Size limit of an unpacked header block: a bound against compression bombs. */
const MOST_BYTES = 64 * 1024

/** The two directions of header compression of a session; each keeps its state from block to block, so blocks must be passed in order. */
export interface HeaderCodec extends Disposable {
  encode(headers: SpdyHeaders): Promise<Buffer>
  /** Rejects if the block is invalid, or unpacks to more than 64 KiB. */
  decode(block: Buffer): Promise<SpdyHeaders>
}

export function createHeaderCodec(): HeaderCodec {
  let unpacker: Unpacker | undefined
  let deflate: Deflate | undefined
  return {
    async encode(headers) {
      deflate ??= createDeflate({ dictionary: SPDY_DICTIONARY })
      const packer = deflate
      const chunks: Buffer[] = []
      const take = (chunk: Buffer) => chunks.push(chunk)
      packer.on('data', take)
      packer.write(pack(headers))
      await new Promise<void>((resolve) => packer.flush(constants.Z_SYNC_FLUSH, () => resolve()))
      packer.off('data', take)
      return Buffer.concat(chunks)
    },
    async decode(block) {
      unpacker ??= createUnpacker()
      return unpack(await unpacker.run(block))
    },
    [Symbol.dispose]() {
      unpacker?.inflate.destroy()
      deflate?.destroy()
    },
  }
}

interface Unpacker {
  readonly inflate: Inflate
  run(block: Buffer): Promise<Buffer>
}

function createUnpacker(): Unpacker {
  const inflate = createInflate({ dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH })
  let chunks: Buffer[] = []
  let size = 0
  inflate.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MOST_BYTES) inflate.destroy(new Error(`a SPDY header block unpacks to more than ${MOST_BYTES} bytes`))
    else chunks.push(chunk)
  })
  const broken = new Promise<never>((_, reject) => {
    inflate.once('error', reject)
    inflate.once('close', () => reject(new Error('the SPDY header stream broke off')))
  })
  void quiet(broken, 'the next block gets the error: run() races against it')
  return {
    inflate,
    async run(block) {
      chunks = []
      size = 0
      await Promise.race([
        new Promise<void>((resolve) => inflate.write(block, () => resolve())).then(() => (inflate.destroyed ? broken : undefined)),
        broken,
      ])
      return Buffer.concat(chunks)
    },
  }
}

function pack(headers: SpdyHeaders): Buffer {
  const entries = Object.entries(headers)
  return Buffer.concat([uint32(entries.length), ...entries.flatMap(([name, value]) => [...counted(name.toLowerCase()), ...counted(value)])])
}

const counted = (text: string) => {
  const bytes = Buffer.from(text)
  return [uint32(bytes.length), bytes]
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function unpack(bytes: Buffer): SpdyHeaders {
  let at = 0
  const number = () => {
    if (at + 4 > bytes.length) throw new Error('a SPDY header block is cut short')
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
  const text = () => {
    const length = number()
    if (at + length > bytes.length) throw new Error('a SPDY header block is cut short')
    at += length
    return bytes.toString('utf8', at - length, at)
  }
  const headers: Record<string, string> = Object.create(null)
  for (let left = number(); left > 0; left--) {
    const name = text()
    headers[name] = text()
  }
  return headers
}
