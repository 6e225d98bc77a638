import { type Keeper, keptBy } from '../../machinery/kept.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Revision } from '../../storage/store.ts'
import type { Decoded, DecodedItems } from './decoded-items.ts'
import { decodeObject, encodeObject, metadataEnd, type RevisionPlace, revisionPlace } from './object-bytes.ts'

/** Where an item's bytes are written to. */
export interface ByteSink {
  text(text: string): void
  bytes(source: Uint8Array, from?: number, to?: number): void
}

/** How the stored objects of a resource are to be read: through the present schema of a custom kind. */
export interface Lens {
  /** The object as it is to be seen; undefined: as it is stored. The argument is not changed. */
  read(object: KubeObject): KubeObject | undefined
}

/** Holds the lens of now; a change of it is seen by every item at its next use. */
export interface LensHolder {
  readonly lens: Lens | undefined
  /** Items up to this revision stand in several caches: what is replaced in one is present in another. */
  readonly sharedUpTo: Revision
  /** Told of each item that is decoded. */
  readonly decoded?: DecodedItems
}

const PLAIN: LensHolder = { lens: undefined, sharedUpTo: 0 }

/** The bytes of an object as the store holds them. */
export interface StoredBytes {
  /** To be read when they are needed, and let go of: the store may have to unpack them. */
  readonly value: Uint8Array
  readonly sizeBytes: number
}

/** Bytes that no store has. */
export const bytesOf = (value: Uint8Array): StoredBytes => ({ value, sizeBytes: value.byteLength })

export interface StoredObjectInit {
  readonly key: string
  /** The store's entry. */
  readonly source: StoredBytes
  readonly revision: Revision
  /** The decoded value, where it is known. */
  readonly object?: KubeObject | undefined
  readonly holder?: LensHolder
}

const SHORT_HEAD = Buffer.from('{"metadata":{')

/**
 * One object at one revision: its stored bytes, and the decoded object, made when first asked for. Both are shared and never changed. Where the
 * resource has a lens, bytes and object are what the lens shows; they are made when first asked for, and again when the lens has changed.
 */
export class StoredObject implements Keeper, Decoded {
  /** `namespace/name`, or `name`. */
  readonly key: string
  readonly revision: Revision
  readonly #source: StoredBytes
  readonly #holder: LensHolder
  /** What `#seen` and `#object` were made with. */
  #lens: Lens | undefined
  /** What the lens shows, where that is not what is stored. */
  #seen: Buffer | undefined
  /** Found when first asked for. */
  #place: RevisionPlace | undefined
  #object: KubeObject | undefined
  /** Where the members of `metadata` end; found when first asked for. */
  #metadataEnd = 0
  #passing = false
  #used = true

  /** `object`: the decoded value, where it is known; it is what the present lens shows. */
  constructor(init: StoredObjectInit) {
    this.key = init.key
    this.revision = init.revision
    this.#source = init.source
    this.#holder = init.holder ?? PLAIN
    this.#lens = init.object === undefined ? undefined : this.#holder.lens
    if (init.object !== undefined) this.#keep(init.object)
  }

  /** How long the bytes are that the store holds. */
  get sizeBytes(): number {
    return this.#source.sizeBytes
  }

  /** The bytes that the store holds. */
  get stored(): Buffer {
    return bufferOf(this.#source.value)
  }

  /** As it is seen; in the storage version. */
  get value(): Buffer {
    if (this.#lens !== this.#holder.lens) this.#look()
    return this.#seen ?? this.stored
  }

  /** In the storage version. Never change it. */
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

  /** Lets go of the decoded object for good: whoever asks again pays for it again, and nobody keeps it here. Not where another cache has this item too. */
  forget(): void {
    if (this.revision <= this.#holder.sharedUpTo) return
    this.#object = undefined
    this.#passing = true
  }

  /** The same state in another cache, which may see it through another lens. */
  seenBy(holder: LensHolder): StoredObject {
    return new StoredObject({ key: this.key, source: this.#source, revision: this.revision, holder })
  }

  /** Lets go of the decoded object until somebody asks for it. */
  cool(): void {
    this.#object = undefined
  }

  get namespace(): string {
    return this.key.slice(0, Math.max(0, this.key.indexOf('/')))
  }

  get name(): string {
    return this.key.slice(this.key.indexOf('/') + 1)
  }

  /** The same state under a later revision: what a watch shows of an object that is gone. */
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
    const value = this.value
    const place = this.#placeIn(value)
    const { at } = place
    const revision = this.#revisionText(place)
    const out = Buffer.allocUnsafe(value.length + revision.length)
    value.copy(out, 0, 0, at)
    out.write(revision, at, 'latin1')
    value.copy(out, at + revision.length, at)
    return out
  }

  /** The same, into a buffer. */
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

  /** `PartialObjectMetadata` of the object. */
  writeMetadata(out: ByteSink, metaVersion: string): void {
    const value = this.value
    if (this.#metadataEnd === 0) this.#metadataEnd = metadataEnd(value, this.#placeIn(value).start)
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

  /** Where the revision stands in `value`. */
  #placeIn(value: Buffer): RevisionPlace {
    this.#place ??= sharedPlace(revisionPlace(value))
    return this.#place
  }

  #revisionText({ before, behind }: RevisionPlace): string {
    return `${before}"resourceVersion":"${this.revision}"${behind}`
  }

  /** Makes what the present lens shows. */
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

/** Places are few: they differ in the lengths of names alone. */
const PLACES = new Map<string, RevisionPlace>()
const MOST_PLACES = 1024

/** The same place, once for all objects that have it. */
function sharedPlace(place: RevisionPlace): RevisionPlace {
  const name = `${place.start} ${place.at}${place.before}${place.behind}`
  const known = PLACES.get(name)
  if (known !== undefined) return known
  if (PLACES.size < MOST_PLACES) PLACES.set(name, place)
  return place
}

const bufferOf = (value: Uint8Array): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)

/** The same state under a later revision. */
export const underRevision = (object: KubeObject, revision: Revision): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
})
