import { type Keeper, keptBy } from '../../machinery/kept.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Revision } from '../../storage/store.ts'
import type { Decoded, DecodedItems } from './decoded-items.ts'
import { decodeObject, encodeObject } from './object-bytes.ts'
import { containerEnd, type RevisionOffset, revisionOffset } from './revision-offset.ts'

/** A buffer that items write their bytes to. */
export interface ByteSink {
  text(text: string): void
  bytes(source: Uint8Array, from?: number, to?: number): void
}

/** How stored objects of a resource are read: through the present schema of a custom kind. */
export interface Lens {
  /** The object as the schema shows it; undefined if it is unchanged. Does not change its argument. */
  read(object: KubeObject): KubeObject | undefined
}

/** Holds the present lens; items notice a change of it at their next use. */
export interface LensHolder {
  readonly lens: Lens | undefined
  /** Items up to this revision are in several caches: an item replaced in one is still present in another. */
  readonly sharedUpTo: Revision
  /** Registers each item that is decoded. */
  readonly decoded?: DecodedItems
}

const PLAIN: LensHolder = { lens: undefined, sharedUpTo: 0 }

/** The bytes of an object as the store holds them. */
export interface StoredBytes {
  /** Read it when needed and do not keep the result: the store may have to unpack it. */
  readonly value: Uint8Array
  readonly sizeBytes: number
  /** Why they are no object; looking decodes them. */
  readonly undecodable?: unknown
}

/** Bytes that are in no store. */
export const bytesOf = (value: Uint8Array): StoredBytes => ({ value, sizeBytes: value.byteLength })

export interface StoredObjectInit {
  readonly key: string
  /** The store's entry. */
  readonly source: StoredBytes
  readonly revision: Revision
  /** The decoded value, if it is known. */
  readonly object?: KubeObject | undefined
  readonly holder?: LensHolder
}

const SHORT_HEAD = Buffer.from('{"metadata":{')

/**
 * One object at one revision: its stored bytes, and the decoded object, which is made lazily. Both are shared and never changed. If the
 * resource has a lens, both are what the lens shows; they are made lazily, and again after the lens has changed.
 */
export class StoredObject implements Keeper, Decoded {
  /** `namespace/name`, or `name`. */
  readonly key: string
  readonly revision: Revision
  readonly #source: StoredBytes
  readonly #holder: LensHolder
  /** The lens that `#seen` and `#object` were made with. */
  #lens: Lens | undefined
  /** What the lens shows, if it differs from the stored form. */
  #seen: Buffer | undefined
  /** Computed lazily. */
  #place: RevisionOffset | undefined
  #object: KubeObject | undefined
  /** The end of the members of `metadata`; computed lazily. */
  #metadataEnd = 0
  #passing = false
  #used = true

  /** `object`: the decoded value as the present lens shows it, if it is known. */
  constructor(init: StoredObjectInit) {
    this.key = init.key
    this.revision = init.revision
    this.#source = init.source
    this.#holder = init.holder ?? PLAIN
    this.#lens = init.object === undefined ? undefined : this.#holder.lens
    if (init.object !== undefined) this.#keep(init.object)
  }

  /** The size of the stored bytes. */
  get sizeBytes(): number {
    return this.#source.sizeBytes
  }

  /** The stored bytes. */
  get stored(): Buffer {
    return bufferOf(this.#source.value)
  }

  /** The bytes as the lens shows them, in the storage version. */
  get value(): Buffer {
    if (this.#lens !== this.#holder.lens) this.#look()
    return this.#seen ?? this.stored
  }

  /** The decoded object in the storage version. Never change it. */
  get object(): KubeObject {
    if (this.#lens !== this.#holder.lens) this.#look()
    if (this.#object !== undefined) {
      this.#used = true
      return this.#object
    }
    const object = decodeObject(this.#seen ?? this.stored, String(this.revision))
    if (!this.#passing) this.#keep(object)
    return object
  }

  /** False: another program wrote bytes that are no object, and every read of them throws. */
  get isDecodable(): boolean {
    return this.#object !== undefined || this.#source.undecodable === undefined
  }

  get isDecoded(): boolean {
    return this.#object !== undefined
  }

  get used(): boolean {
    return this.#used
  }

  pass(): void {
    this.#used = false
  }

  #keep(object: KubeObject): void {
    this.#object = object
    this.#used = true
    keptBy(object, this)
    this.#holder.decoded?.add(this)
  }

  /** Drops the decoded object for good: later reads decode again and keep nothing here. No effect if another cache has this item, too. */
  forget(): void {
    if (this.revision <= this.#holder.sharedUpTo) return
    this.#object = undefined
    this.#passing = true
  }

  /** The same state for another cache, which may read it through another lens. */
  seenBy(holder: LensHolder): StoredObject {
    return new StoredObject({ key: this.key, source: this.#source, revision: this.revision, holder })
  }

  /** Drops the decoded object until the next read. */
  cool(): void {
    this.#object = undefined
  }

  get namespace(): string {
    return this.key.slice(0, Math.max(0, this.key.indexOf('/')))
  }

  get name(): string {
    return this.key.slice(this.key.indexOf('/') + 1)
  }

  /** The same state under a later revision: a watch shows it for a deleted object. */
  at(revision: Revision): StoredObject {
    const object = this.object
    const seen = this.#seen
    return new StoredObject({
      key: this.key,
      source: seen === undefined ? this.#source : bytesOf(seen),
      revision,
      object: underRevision(object, revision),
    })
  }

  /** The whole object as JSON, in the storage version. */
  json(): Buffer {
    return this.#copy('')
  }

  /** The same with a newline at the end, as a response. */
  jsonLine(): Buffer {
    return this.#copy('\n')
  }

  #copy(end: string): Buffer {
    const value = this.value
    const place = this.#placeIn(value)
    const { at } = place
    const revision = this.#revisionText(place)
    const out = Buffer.allocUnsafe(value.length + revision.length + end.length)
    value.copy(out, 0, 0, at)
    out.write(revision, at, 'latin1')
    value.copy(out, at + revision.length, at)
    out.write(end, value.length + revision.length, 'latin1')
    return out
  }

  /** Like `json()`, into a buffer. */
  writeJson(out: ByteSink): void {
    const value = this.value
    out.bytes(value, 0, this.#placeIn(value).start)
    this.#writeRest(out, value, value.length)
  }

  /** The object as an element of a list of a built-in kind: without apiVersion and kind. */
  writeListElement(out: ByteSink): void {
    const value = this.value
    out.bytes(SHORT_HEAD)
    this.#writeRest(out, value, value.length)
  }

  /** `PartialObjectMetadata` of an object of a built-in kind. */
  writeMetadata(out: ByteSink, metaVersion: string): void {
    const value = this.value
    if (this.#metadataEnd === 0) this.#metadataEnd = containerEnd(value, this.#placeIn(value).start)
    out.text(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${metaVersion}","metadata":{`)
    this.#writeRest(out, value, this.#metadataEnd)
    out.text('}}')
  }

  #writeRest(out: ByteSink, value: Buffer, end: number): void {
    const place = this.#placeIn(value)
    out.bytes(value, place.start, place.at)
    out.text(this.#revisionText(place))
    out.bytes(value, place.at, end)
  }

  /** The insertion point of the revision in `value`. */
  #placeIn(value: Buffer): RevisionOffset {
    this.#place ??= sharedPlace(revisionOffset(value))
    return this.#place
  }

  #revisionText({ before, behind }: RevisionOffset): string {
    return `${before}"resourceVersion":"${this.revision}"${behind}`
  }

  /** Applies the present lens. */
  #look(): void {
    const { lens } = this.#holder
    const stored = decodeObject(this.stored, String(this.revision))
    const seen = lens?.read(stored)
    this.#lens = lens
    // Only custom kinds have a lens.
    this.#seen = seen === undefined ? undefined : encodeObject(seen, true)
    this.#place = undefined
    this.#metadataEnd = 0
    this.#object = undefined
    if (!this.#passing) this.#keep(seen ?? stored)
  }
}

/** Insertion points are few: they differ in the lengths of names alone. */
const LOCATIONS = new Map<string, RevisionOffset>()
const MOST_PLACES = 1024

/** One shared instance of each insertion point. */
function sharedPlace(place: RevisionOffset): RevisionOffset {
  const name = `${place.start} ${place.at}${place.before}${place.behind}`
  const known = LOCATIONS.get(name)
  if (known !== undefined) return known
  if (LOCATIONS.size < MOST_PLACES) LOCATIONS.set(name, place)
  return place
}

const bufferOf = (value: Uint8Array): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)

/** A copy of the object with a later revision. */
export const underRevision = (object: KubeObject, revision: Revision): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
})
