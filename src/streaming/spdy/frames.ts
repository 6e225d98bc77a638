/** The frames of SPDY/3.1 that streams into containers use (draft 3.1, section 2.6). */
export const FRAME = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const
export const FLAG_FIN = 1
export const RST = { protocolError: 1, refusedStream: 3, cancel: 5 } as const

const VERSION = 3
/** The maximum size of a control frame. Data frames are passed on in pieces as they arrive, whatever their length. */
const MOST_CONTROL_BYTES = 64 * 1024

export type Frame =
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly payload: Buffer }
  /** A part of a data frame; `last` when it is its last, with the frame's own FIN. */
  | { readonly kind: 'data'; readonly stream: number; readonly fin: boolean; readonly bytes: Buffer }

const HEAD_BYTES = 8

/** Cuts a byte stream into frames. Throws when it is no SPDY/3. */
export async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let parts: Uint8Array[] = []
  let size = 0
  /** How many bytes the next frame has, as far as is known; until they are there, their pieces are not joined again and again. */
  let needed = HEAD_BYTES
  let data: { stream: number; fin: boolean; left: number } | undefined
  for await (const chunk of source) {
    parts.push(chunk)
    size += chunk.length
    if (data === undefined && size < needed) continue
    let held = joined(parts)
    for (;;) {
      if (data !== undefined) {
        const bytes = held.subarray(0, data.left)
        held = held.subarray(bytes.length)
        data.left -= bytes.length
        const done: boolean = data.left === 0
        if (bytes.length > 0 || done) yield { kind: 'data', stream: data.stream, fin: done && data.fin, bytes }
        if (!done) break
        data = undefined
        continue
      }
      needed = HEAD_BYTES
      if (held.length < needed) break
      const length = held.readUIntBE(5, 3)
      const flags = held.readUInt8(4)
      if (held.readUInt8(0) < 0x80) {
        data = { stream: held.readUInt32BE(0), fin: (flags & FLAG_FIN) !== 0, left: length }
        held = held.subarray(HEAD_BYTES)
        continue
      }
      if ((held.readUInt16BE(0) & 0x7fff) !== VERSION) throw new Error('this is no SPDY/3 frame')
      if (length > MOST_CONTROL_BYTES) throw new Error(`a SPDY control frame of ${length} bytes is too large`)
      needed = HEAD_BYTES + length
      if (held.length < needed) break
      yield { kind: 'control', type: held.readUInt16BE(2), flags, payload: held.subarray(HEAD_BYTES, needed) }
      held = held.subarray(needed)
    }
    parts = [held]
    size = held.length
  }
}

function joined(parts: readonly Uint8Array[]): Buffer {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(parts)
}

export function controlFrame(type: number, flags: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16BE(0x8000 | VERSION, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt8(flags, 4)
  head.writeUIntBE(payload.length, 5, 3)
  return Buffer.concat([head, payload])
}

/** The head of a data frame; its bytes follow it. */
export function dataHead(stream: number, flags: number, length: number): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(stream & 0x7fffffff, 0)
  head.writeUInt8(flags, 4)
  head.writeUIntBE(length, 5, 3)
  return head
}

export const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => {
    bytes.writeUInt32BE(value >>> 0, i * 4)
  })
  return bytes
}
