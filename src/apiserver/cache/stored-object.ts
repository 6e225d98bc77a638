import type { KubeObject } from '../../machinery/object.ts'
import type { Revision } from '../../storage/store.ts'
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
}

const PLAIN: LensHolder = { lens: undefined, sharedUpTo: 0 }

export interface StoredObjectInit {
  readonly key: string
  /** The bytes that the store holds. */
  readonly value: Buffer
  readonly revision: Revision
  /** The decoded value, where it is known. */
  readonly object?: KubeObject | undefined
  readonly holder?: LensHolder
  /** Where the revision stands in `value`, where that is known. */
  readonly place?: RevisionPlace
}

const SHORT_HEAD = Buffer.from('{"metadata":{')

/**
 * One object at one revision: its stored bytes, and the decoded object, made when first asked for. Both are shared and never changed. Where the
 * resource has a lens, bytes and object are what the lens shows; they are made when first asked for, and again when the lens has changed.
 */
export class StoredObject {
  /** `namespace/name`, or `name`. */
  readonly key: string
  /** The bytes that the store holds. */
  readonly stored: Buffer
  readonly revision: Revision
  readonly #holder: LensHolder
  /** What `#value` and `#object` were made with. */
  #lens: Lens | undefined
  #value: Buffer
  #place: RevisionPlace
  #object: KubeObject | undefined
  /** Where the members of `metadata` end; found when first asked for. */
  #metadataEnd = 0
  #passing = false

  /** `object`: the decoded value, where it is known; it is what the present lens shows. */
  constructor(init: StoredObjectInit) {
    this.key = init.key
    this.stored = init.value
    this.revision = init.revision
    this.#holder = init.holder ?? PLAIN
    this.#value = init.value
    this.#place = init.place ?? revisionPlace(init.value)
    this.#object = init.object
    this.#lens = init.object === undefined ? undefined : this.#holder.lens
  }

  /** As it is seen; in the storage version. */
  get value(): Buffer {
    if (this.#lens !== this.#holder.lens) this.#look()
    return this.#value
  }

  /** In the storage version. Never change it. */
  get object(): KubeObject {
    if (this.#lens !== this.#holder.lens) this.#look()
    if (this.#object !== undefined) return this.#object
    const object = decodeObject(this.#value, String(this.revision))
    if (!this.#passing) this.#object = object
    return object
  }

  /** Lets go of the decoded object for good: whoever asks again pays for it again, and nobody keeps it here. Not where another cache has this item too. */
  forget(): void {
    if (this.revision <= this.#holder.sharedUpTo) return
    this.#object = undefined
    this.#passing = true
  }

  /** The same state in another cache, which may see it through another lens. */
  seenBy(holder: LensHolder): StoredObject {
    const { key, stored: value, revision } = this
    if (this.#lens !== undefined) return new StoredObject({ key, value, revision, holder })
    return new StoredObject({ key, value, revision, holder, place: this.#place })
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
    return new StoredObject({
      key: this.key,
      value: this.#value,
      revision,
      object: { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } },
    })
  }

  /** The whole object as JSON, in the storage version. */
  json(): Buffer {
    const value = this.value
    const { at } = this.#place
    const revision = this.#revisionText()
    const out = Buffer.allocUnsafe(value.length + revision.length)
    value.copy(out, 0, 0, at)
    out.write(revision, at, 'latin1')
    value.copy(out, at + revision.length, at)
    return out
  }

  /** The same, into a buffer. */
  writeJson(out: ByteSink): void {
    const value = this.value
    out.bytes(value, 0, this.#place.start)
    this.#writeRest(out, value.length)
  }

  /** The object as an element of a list of a built-in kind: without apiVersion and kind. */
  writeListElement(out: ByteSink): void {
    out.bytes(SHORT_HEAD)
    this.#writeRest(out, this.value.length)
  }

  /** `PartialObjectMetadata` of the object. */
  writeMetadata(out: ByteSink, metaVersion: string): void {
    const value = this.value
    if (this.#metadataEnd === 0) this.#metadataEnd = metadataEnd(value, this.#place.start)
    out.text(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${metaVersion}","metadata":{`)
    this.#writeRest(out, this.#metadataEnd)
    out.text('}}')
  }

  #writeRest(out: ByteSink, end: number): void {
    const { start, at } = this.#place
    out.bytes(this.#value, start, at)
    out.text(this.#revisionText())
    out.bytes(this.#value, at, end)
  }

  #revisionText(): string {
    const { before, behind } = this.#place
    return `${before}"resourceVersion":"${this.revision}"${behind}`
  }

  /** Makes what the present lens shows. */
  #look(): void {
    const { lens } = this.#holder
    const stored = decodeObject(this.stored, String(this.revision))
    const seen = lens?.read(stored)
    this.#lens = lens
    // Only custom kinds have a lens.
    this.#value = seen === undefined ? this.stored : encodeObject(seen, true)
    this.#place = revisionPlace(this.#value)
    this.#metadataEnd = 0
    this.#object = this.#passing ? undefined : (seen ?? stored)
  }
}
