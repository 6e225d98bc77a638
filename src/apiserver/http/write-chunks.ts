import { constants, createGzip } from 'node:zlib'
import { nextTurn } from '../../base/turns.ts'
import type { Item } from '../cache/item.ts'
import { ByteWriter } from './byte-writer.ts'
import { acceptsGzip, COMPRESS_FROM } from './compress.ts'
import type { Exchange } from './exchange.ts'
import type { Headers } from './headers.ts'

const CHUNK = 256 * 1024
/** What an element may take without the buffer growing. */
const SPARE = 16 * 1024
const USUAL_ELEMENT = 4 * 1024

export interface Chunks {
  readonly head: string
  readonly tail: string
  readonly items: readonly Item[]
  readonly element: (item: Item, out: ByteWriter) => void
}

/** Small lists leave at once; large ones in chunks, with a turn for others in between. */
export async function writeChunks(exchange: Exchange, headers: Headers, chunks: Chunks): Promise<void> {
  let out: Sink | undefined
  for (const part of parts(chunks)) {
    if (out === undefined) {
      if (part.last && (part.bytes.length < COMPRESS_FROM || !acceptsGzip(exchange.headers)))
        return exchange.answer(200, headers, part.bytes)
      out = sink(exchange, headers)
    }
    if (await out.write(part.bytes)) part.giveBack()
    if (out.gone()) return
    if (part.last) await out.end()
  }
}

interface Part {
  readonly bytes: Buffer
  readonly last: boolean
  giveBack(): void
}

function* parts({ head, tail, items, element }: Chunks): Generator<Part> {
  const out = new ByteWriter(Math.min(CHUNK + SPARE, head.length + tail.length + SPARE + items.length * USUAL_ELEMENT))
  out.text(head)
  let first = true
  for (const item of items) {
    if (!first) out.text(',')
    first = false
    element(item, out)
    if (out.length >= CHUNK) yield { bytes: out.take(), last: false, giveBack: () => out.giveBack() }
  }
  out.text(tail)
  yield { bytes: out.end(), last: true, giveBack: () => {} }
}

interface Sink {
  /** True when nobody needs the bytes any more. */
  write(bytes: Buffer): Promise<boolean>
  end(): Promise<void>
  gone(): boolean
}

function sink(exchange: Exchange, headers: Headers): Sink {
  let gone = false
  let wake = (_drained: boolean) => {}
  exchange.onClose(() => {
    gone = true
    wake(false)
  })
  exchange.onDrain(() => wake(true))
  const put = (bytes: Buffer) =>
    new Promise<boolean>((resolve) => {
      if (gone || exchange.write(bytes)) nextTurn(() => resolve(false))
      else wake = resolve
    })
  if (!acceptsGzip(exchange.headers)) {
    exchange.start(200, headers)
    return { write: put, end: async () => exchange.end(), gone: () => gone }
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
    gone: () => gone,
  }
}
