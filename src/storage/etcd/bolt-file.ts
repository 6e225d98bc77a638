import { fnv64a } from '../../base/fnv.ts'

/** A file that is no database of etcd, or is damaged. */
export class BoltError extends Error {
  override readonly name = 'BoltError'
  readonly code = 'damaged'
}

const MAGIC = 0xed0cdaed
const VERSION = 2
const PAGE_HEADER_BYTES = 16
const ELEMENT_BYTES = 16
const BUCKET_BYTES = 16
const BRANCH = 0x01
const LEAF = 0x02
const META = 0x04
const BUCKET = 0x01

interface Meta {
  readonly pageBytes: number
  readonly root: number
  readonly transaction: bigint
}

interface Element {
  readonly isBucket: boolean
  readonly key: Buffer
  readonly value: Buffer
}

/** The buckets of a bbolt database, which etcd's members and snapshots are. Reads alone. */
export class BoltFile {
  readonly #bytes: Buffer
  readonly #meta: Meta

  /** @throws {BoltError} */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#meta = latestMeta(bytes)
  }

  /** The pairs of a bucket, in order of keys. @throws {BoltError} */
  *bucket(name: string): Generator<{ readonly key: Buffer; readonly value: Buffer }> {
    const found = this.#root().find((element) => element.isBucket && element.key.toString('latin1') === name)
    if (found === undefined) throw new BoltError(`there is no bucket ${JSON.stringify(name)}`)
    const root = pageId(found.value, 0)
    const read = new Set<number>()
    // A small bucket is inside of its parent.
    if (root === 0) yield* this.#elements(found.value.subarray(BUCKET_BYTES), read)
    else yield* this.#elements(this.#page(root, read), read)
  }

  #root(): Element[] {
    const read = new Set<number>()
    return [...this.#elements(this.#page(this.#meta.root, read), read)]
  }

  /** `read`: the pages of the tree that were read. */
  *#elements(page: Buffer, read: Set<number>): Generator<Element> {
    const [flags, count] = [readNumber(page, 8, 2), readNumber(page, 10, 2)]
    if (flags !== BRANCH && flags !== LEAF) throw new BoltError('a page is not what it should be')
    for (let i = 0; i < count; i++) {
      const at = PAGE_HEADER_BYTES + i * ELEMENT_BYTES
      if (flags === BRANCH) yield* this.#elements(this.#page(pageId(page, at + 8), read), read)
      else yield leafElement(page, at)
    }
  }

  /** A page has one place in its tree: a damaged file may have cycles, and more paths than can be followed. */
  #page(id: number, read: Set<number>): Buffer {
    if (read.has(id)) throw new BoltError('a page is in two places')
    read.add(id)
    const { pageBytes } = this.#meta
    const at = id * pageBytes
    if (at + PAGE_HEADER_BYTES > this.#bytes.length) throw new BoltError('a page is missing: the file is cut short')
    const overflow = this.#bytes.readUInt32LE(at + 12)
    return this.#bytes.subarray(at, at + (overflow + 1) * pageBytes)
  }
}

function leafElement(page: Buffer, at: number): Element {
  const [flags, offset, keyBytes, valueBytes] = [0, 4, 8, 12].map((from) => readNumber(page, at + from, 4)) as [
    number,
    number,
    number,
    number,
  ]
  const start = at + offset
  const end = start + keyBytes + valueBytes
  if (end > page.length) throw new BoltError('a value is cut short')
  return { isBucket: (flags & BUCKET) !== 0, key: page.subarray(start, start + keyBytes), value: page.subarray(start + keyBytes, end) }
}

/** Of the two meta pages, the valid one of the later transaction. */
function latestMeta(bytes: Buffer): Meta {
  const first = metaAt(bytes, 0)
  const second = first === undefined ? undefined : metaAt(bytes, first.pageBytes)
  const latest = [first, second].filter((meta) => meta !== undefined).sort((a, b) => (a.transaction > b.transaction ? -1 : 1))[0]
  if (latest === undefined) throw new BoltError('it is no database of etcd')
  return latest
}

function metaAt(bytes: Buffer, at: number): Meta | undefined {
  const meta = at + PAGE_HEADER_BYTES
  if (bytes.length < meta + 64 || bytes.readUInt16LE(at + 8) !== META) return undefined
  if (bytes.readUInt32LE(meta) !== MAGIC || bytes.readUInt32LE(meta + 4) !== VERSION) return undefined
  if (fnv64a(bytes.subarray(meta, meta + 56)) !== bytes.readBigUInt64LE(meta + 56)) return undefined
  return { pageBytes: bytes.readUInt32LE(meta + 8), root: pageId(bytes, meta + 16), transaction: bytes.readBigUInt64LE(meta + 48) }
}

function readNumber(page: Buffer, at: number, size: 2 | 4): number {
  if (at + size > page.length) throw new BoltError('a page is cut short')
  return page.readUIntLE(at, size)
}

function pageId(bytes: Buffer, at: number): number {
  if (at + 8 > bytes.length) throw new BoltError('a page is cut short')
  return Number(bytes.readBigUInt64LE(at))
}
