import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import type { StoredObject } from '../../cache/stored-object.ts'
import { ByteWriter } from './byte-writer.ts'

/** Bound on the bytes of cached segments. */
const KEPT_BYTES = 32 * 1024 * 1024
/** A segment ends at the first boundary key after the least size, or at the greatest size. */
const LEAST_BYTES = 192 * 1024
const MOST_BYTES = 512 * 1024

const deflate = promisify(deflateRaw)

/** Consecutive objects of a list, compressed as DEFLATE blocks that can be placed between any others. */
export interface Segment {
  readonly zipped: Buffer
  readonly length: number
  readonly crc: number
}

interface Kept {
  readonly revisions: Float64Array
  readonly segment: Promise<Segment>
  bytes: number
}

/** Renders an object; forms of the same name write the same bytes. */
export interface ObjectForm {
  readonly name: string
  readonly element: (object: StoredObject, out: ByteWriter) => void
}

/**
 * Compressed parts of large lists. Most of a list is unchanged since it was last read. Segments are cut at boundaries that depend on keys
 * and not on positions, so only segments that contain a change are compressed again. An LRU keeps them.
 */
export class ZippedSegments {
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  /** Bytes of the cached segments. */
  get bytes(): number {
    return this.#bytes
  }

  /** Cuts the objects of the list into segments. */
  split(objects: readonly StoredObject[]): readonly (readonly StoredObject[])[] {
    const segments: (readonly StoredObject[])[] = []
    let from = 0
    let bytes = 0
    for (const [i, { key, stored }] of objects.entries()) {
      bytes += stored.length
      if (bytes < MOST_BYTES && (bytes < LEAST_BYTES || !endsSegment(key))) continue
      segments.push(objects.slice(from, i + 1))
      from = i + 1
      bytes = 0
    }
    if (from < objects.length) segments.push(objects.slice(from))
    return segments
  }

  /** The objects separated by commas. Concurrent calls share one compression. */
  segment(objects: readonly StoredObject[], form: ObjectForm): Promise<Segment> {
    const revisions = Float64Array.from(objects, (object) => object.revision)
    const name = `${form.name} ${objects[0]?.key} ${objects.at(-1)?.key}`
    const known = this.#kept.get(name)
    if (known !== undefined && sameRevisions(known.revisions, revisions)) {
      this.#kept.delete(name)
      this.#kept.set(name, known)
      return known.segment
    }
    const kept: Kept = { revisions, segment: zip(objects, form.element), bytes: revisions.byteLength }
    if (known !== undefined) this.#forget(name, known)
    this.#kept.set(name, kept)
    this.#bytes += kept.bytes
    kept.segment.then(
      ({ zipped }) => this.#weigh(name, kept, zipped.length),
      () => this.#forget(name, kept),
    )
    return kept.segment
  }

  #weigh(name: string, kept: Kept, bytes: number): void {
    if (this.#kept.get(name) !== kept) return
    kept.bytes += bytes
    this.#bytes += bytes
    for (const [oldest, one] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES) return
      this.#forget(oldest, one)
    }
  }

  #forget(name: string, kept: Kept): void {
    if (this.#kept.get(name) !== kept) return
    this.#kept.delete(name)
    this.#bytes -= kept.bytes
  }
}

/** True for one key of sixteen, independent of its neighbours. */
const endsSegment = (key: string): boolean => ((key.charCodeAt(key.length - 1) ^ (key.charCodeAt(key.length - 2) << 2)) & 15) === 0

/** A revision identifies one state of one object; 0 identifies none. */
function sameRevisions(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] || a[i] === 0) return false
  return true
}

async function zip(objects: readonly StoredObject[], element: ObjectForm['element']): Promise<Segment> {
  const out = new ByteWriter(MOST_BYTES)
  for (const [i, object] of objects.entries()) {
    if (i > 0) out.text(',')
    element(object, out)
  }
  const plain = out.end()
  const zipped = await deflate(plain, { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_FULL_FLUSH })
  return { zipped, length: plain.length, crc: crc32(plain) }
}
