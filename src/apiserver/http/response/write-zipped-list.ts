import { crc32 } from 'node:zlib'
import { quiet } from '../../../base/quiet.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import type { Exchange } from '../exchange.ts'
import type { Headers } from '../headers.ts'
import { COMPRESS_FROM } from './compress.ts'
import { combineCrc32 } from './crc32-combine.ts'
import { writer } from './write-chunks.ts'
import type { ObjectForm, ZippedSegments } from './zipped-segments.ts'

export interface ZippedList {
  readonly head: string
  readonly tail: string
  readonly objects: readonly StoredObject[]
  readonly form: ObjectForm
}

/** Segments compressed at the same time, by other threads and while earlier ones are sent. */
const AHEAD = 4
/** Bytes written to the connection at once. */
const PUT_BYTES = 64 * 1024

/** True if a list is large enough for segments. */
export function isLarge(objects: readonly StoredObject[]): boolean {
  let bytes = 0
  for (const { stored } of objects) {
    bytes += stored.length
    if (bytes >= COMPRESS_FROM) return true
  }
  return false
}

/** Writes a list in JSON as one gzip member (RFC 1952), made of segments that may have been compressed before. */
export async function writeZippedList(exchange: Exchange, headers: Headers, list: ZippedList, segments: ZippedSegments): Promise<void> {
  exchange.start(200, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  const out = writer(exchange)
  const total = { crc: 0, length: 0 }
  const add = (crc: number, length: number) => {
    total.crc = combineCrc32(total.crc, crc, length)
    total.length += length
  }
  const text = (part: string, last = false): Buffer => {
    const bytes = Buffer.from(part)
    add(crc32(bytes), bytes.length)
    return storedBlocks(bytes, last)
  }
  let waiting: Buffer[] = [GZIP_HEAD, text(list.head)]
  let bytes = 0
  const parts = segments.split(list.objects)
  const making = parts.slice(0, AHEAD).map((objects) => segments.segment(objects, list.form))
  for (const part of making) void quiet(part, 'its failure is thrown when its turn comes')
  for (let i = 0; i < parts.length && !out.gone(); i++) {
    const next = parts[i + AHEAD]
    const { zipped, length, crc } = await (making.shift() ?? Promise.reject(new Error('invariant: each part is begun')))
    if (next !== undefined) {
      const begun = segments.segment(next, list.form)
      void quiet(begun, 'its failure is thrown when its turn comes')
      making.push(begun)
    }
    if (i > 0) waiting.push(text(','))
    add(crc, length)
    waiting.push(zipped)
    bytes += zipped.length
    if (bytes < PUT_BYTES) continue
    await out.put(Buffer.concat(waiting))
    waiting = []
    bytes = 0
  }
  if (out.gone()) return
  const end = text(list.tail, true)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(total.crc)
  trailer.writeUInt32LE(total.length % 2 ** 32, 4)
  await out.put(Buffer.concat([...waiting, end, trailer]))
  exchange.end()
}

/** DEFLATE, no time, no name, fastest compression, unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])
const LONGEST_STORED = 0xffff

/** Uncompressed DEFLATE blocks; they begin and end at byte boundaries, as the segments do. */
function storedBlocks(bytes: Buffer, last: boolean): Buffer {
  const blocks: Buffer[] = []
  for (let from = 0; from === 0 || from < bytes.length; from += LONGEST_STORED) {
    const part = bytes.subarray(from, from + LONGEST_STORED)
    const head = Buffer.alloc(5)
    head[0] = last && from + LONGEST_STORED >= bytes.length ? 1 : 0
    head.writeUInt16LE(part.length, 1)
    head.writeUInt16LE(part.length ^ LONGEST_STORED, 3)
    blocks.push(head, part)
  }
  return Buffer.concat(blocks)
}
