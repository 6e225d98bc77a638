import { constants, createGzip } from 'node:zlib'
import { giveTurn, nextTurn } from '../../../base/turns.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import type { Exchange } from '../exchange.ts'
import type { Headers } from '../headers.ts'
import { ByteWriter } from './byte-writer.ts'
import { acceptsGzip, COMPRESS_FROM } from './compress.ts'

const CHUNK = 256 * 1024
/** What an element may take without the buffer growing. */
const SPARE = 16 * 1024
const USUAL_ELEMENT = 4 * 1024

export interface Chunks<T> {
  readonly head: string | Uint8Array
  readonly separator: string
  readonly tail: string | Uint8Array
  readonly items: readonly StoredObject[]
  /** As many bytes of stored objects are worked on in one turn; for forms that are slow to make less than usual. */
  readonly sliceBytes?: number
  /** Makes what `element` writes of some items; without it that is the items themselves. */
  readonly prepare?: (items: readonly StoredObject[]) => readonly T[] | Promise<readonly T[]>
  readonly element: (made: T, out: ByteWriter) => void
}

/** Small lists leave at once; large ones in slices, with a turn for others in between, and no faster than the client reads. */
export async function writeChunks<T>(exchange: Exchange, headers: Headers, chunks: Chunks<T>): Promise<void> {
  const { head, separator, tail, items, element } = chunks
  const out = new ByteWriter(Math.min(CHUNK + SPARE, head.length + tail.length + SPARE + items.length * USUAL_ELEMENT))
  let to: Sink | undefined
  let first = true
  /** Others had their turn in this slice already. */
  let turned = false
  const flush = async () => {
    to ??= sink(exchange, headers)
    turned = true
    if (await to.write(out.take())) out.giveBack()
    return to.gone()
  }
  put(out, head)
  for (let at = 0; at < items.length; ) {
    const slice = sliceFrom(items, at, chunks.sliceBytes)
    const pending = chunks.prepare === undefined ? (slice as readonly unknown[] as readonly T[]) : chunks.prepare(slice)
    for (const made of pending instanceof Promise ? await pending : pending) {
      if (!first) out.text(separator)
      first = false
      element(made, out)
      if (out.length >= CHUNK && (await flush())) return
    }
    at += slice.length
    if (at < items.length && !turned) await giveTurn()
    turned = false
    if (exchange.gone) return
  }
  put(out, tail)
  if (to === undefined && (out.length < COMPRESS_FROM || !acceptsGzip(exchange.headers))) return exchange.answer(200, headers, out.end())
  if (!(await flush())) await to?.end()
}

const put = (out: ByteWriter, part: string | Uint8Array) => (typeof part === 'string' ? out.text(part) : out.bytes(part))

/** What is worked on in one turn of the event loop. */
const SLICE_ITEMS = 256
const SLICE_BYTES = 256 * 1024

function sliceFrom(items: readonly StoredObject[], from: number, most = SLICE_BYTES): readonly StoredObject[] {
  let to = from
  for (let bytes = 0; to < items.length && to - from < SLICE_ITEMS && bytes < most; to++) bytes += items[to]?.sizeBytes ?? 0
  return items.slice(from, to)
}

/** The items in slices, with a turn of the event loop between them. */
export async function* sliced(items: readonly StoredObject[]): AsyncGenerator<readonly StoredObject[]> {
  for (let at = 0; at < items.length; ) {
    const slice = sliceFrom(items, at)
    yield slice
    at += slice.length
    if (at < items.length) await giveTurn()
  }
}

interface Sink {
  /** True when nobody needs the bytes any more. */
  write(bytes: Buffer): Promise<boolean>
  end(): Promise<void>
  gone(): boolean
}

/** Writes bytes no faster than the client takes them. */
export function writer(exchange: Exchange) {
  let gone = false
  let wake = (_drained: boolean) => {}
  exchange.onClose(() => {
    gone = true
    wake(false)
  })
  exchange.onDrain(() => wake(true))
  return {
    gone: () => gone,
    /** Resolves when more can be written: true when nobody needs the bytes any more. */
    put: (bytes: Buffer) =>
      new Promise<boolean>((resolve) => {
        if (gone || exchange.write(bytes)) nextTurn(() => resolve(false))
        else wake = resolve
      }),
  }
}

function sink(exchange: Exchange, headers: Headers): Sink {
  const { put, gone } = writer(exchange)
  if (!acceptsGzip(exchange.headers)) {
    exchange.start(200, headers)
    return { write: put, end: async () => exchange.end(), gone }
  }
  exchange.start(200, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  const zip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: CHUNK })
  const pumped = (async () => {
    for await (const bytes of zip) await put(bytes as Buffer)
    exchange.end()
  })()
  return {
    write: (bytes) =>
      new Promise<boolean>((resolve) => {
        if (zip.write(bytes)) nextTurn(() => resolve(false))
        else zip.once('drain', () => resolve(false))
      }),
    async end() {
      zip.end()
      await pumped
    },
    gone,
  }
}
