import { constants, createGzip } from 'node:zlib'
import type { Later } from '../../../base/steps.ts'
import { giveTurn, nextTurn } from '../../../base/turns.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import type { Exchange } from '../exchange.ts'
import type { Headers } from '../headers.ts'
import { ByteWriter } from './byte-writer.ts'
import { acceptsGzip, COMPRESS_FROM } from './compress.ts'

const CHUNK = 256 * 1024
/** Free space for one element, so that the buffer rarely grows. */
const SPARE = 16 * 1024
const USUAL_ELEMENT = 4 * 1024

export interface Chunks<T> {
  readonly head: string | Uint8Array
  readonly separator: string
  readonly tail: string | Uint8Array
  readonly items: readonly StoredObject[]
  /** Stored bytes rendered in one turn of the event loop; smaller for forms that are slow to render. */
  readonly sliceBytes?: number
  /** Prepares some items for `element`; without it they are the items themselves. */
  readonly prepare?: (items: readonly StoredObject[]) => Later<readonly T[]>
  readonly element: (made: T, out: ByteWriter) => void
}

/** Writes small lists at once, and large ones in slices, with turns for other work in between and no faster than the client reads. */
export async function writeChunks<T>(exchange: Exchange, headers: Headers, chunks: Chunks<T>): Promise<void> {
  const { head, separator, tail, items, element } = chunks
  const out = new ByteWriter(Math.min(CHUNK + SPARE, head.length + tail.length + SPARE + items.length * USUAL_ELEMENT))
  let to: Sink | undefined
  let first = true
  /** True if the event loop already had a turn in this slice. */
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

/** Most items of one turn of the event loop. */
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
  /** Resolves to true when the bytes are no longer needed. */
  write(bytes: Buffer): Promise<boolean>
  end(): Promise<void>
  gone(): boolean
}

/** Writes bytes no faster than the client reads them. */
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
    /** Resolves when more can be written: to true when the bytes are no longer needed. */
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
