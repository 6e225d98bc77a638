import type { KubeObject } from '../../machinery/object.ts'
import type { Revision } from '../../storage/store.ts'
import { decodeObject, metadataEnd, splitAt } from './object-bytes.ts'

/** Where an item's bytes are written to. */
export interface ByteSink {
  text(text: string): void
  bytes(source: Uint8Array, from?: number, to?: number): void
}

const SHORT_HEAD = Buffer.from('{"metadata":{')

/** One object at one revision: its stored bytes, and the decoded object, made when first asked for. Both are shared and never changed. */
export class Item {
  /** `namespace/name`, or `name`. */
  readonly key: string
  readonly value: Buffer
  readonly revision: Revision
  readonly #splitAt: number
  #object: KubeObject | undefined
  /** Where the members of `metadata` end; found when first asked for. */
  #metadataEnd = 0

  constructor(init: { key: string; value: Buffer; revision: Revision; object?: KubeObject | undefined }) {
    this.key = init.key
    this.value = init.value
    this.revision = init.revision
    this.#splitAt = splitAt(init.value)
    this.#object = init.object
  }

  /** In the storage version. Never change it. */
  get object(): KubeObject {
    this.#object ??= decodeObject(this.value, String(this.revision))
    return this.#object
  }

  /** Lets go of the decoded object; whoever asks again pays for it again. */
  forget(): void {
    this.#object = undefined
  }

  get namespace(): string {
    return this.key.slice(0, Math.max(0, this.key.indexOf('/')))
  }

  get name(): string {
    return this.key.slice(this.key.indexOf('/') + 1)
  }

  /** The same state under a later revision: what a watch shows of an object that is gone. */
  at(revision: Revision): Item {
    const object = this.object
    return new Item({
      key: this.key,
      value: this.value,
      revision,
      object: { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } },
    })
  }

  /** The whole object as JSON, in the storage version. */
  json(): Buffer {
    return this.#assemble(this.value, this.#splitAt)
  }

  /** The same, into a buffer. */
  writeJson(out: ByteSink): void {
    out.bytes(this.value, 0, this.#splitAt)
    this.#writeRest(out, this.value.length)
  }

  /** The object as an element of a list of a built-in kind: without apiVersion and kind. */
  writeListElement(out: ByteSink): void {
    out.bytes(SHORT_HEAD)
    this.#writeRest(out, this.value.length)
  }

  /** `PartialObjectMetadata` of the object. */
  writeMetadata(out: ByteSink, metaVersion: string): void {
    if (this.#metadataEnd === 0) this.#metadataEnd = metadataEnd(this.value, this.#splitAt)
    out.text(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${metaVersion}","metadata":{`)
    this.#writeRest(out, this.#metadataEnd)
    out.text('}}')
  }

  #writeRest(out: ByteSink, end: number): void {
    out.text(this.#splitAt === end ? `"resourceVersion":"${this.revision}"` : `"resourceVersion":"${this.revision}",`)
    out.bytes(this.value, this.#splitAt, end)
  }

  #assemble(head: Buffer, headLength: number): Buffer {
    const revision = `"resourceVersion":"${this.revision}",`
    const out = Buffer.allocUnsafe(headLength + revision.length + this.value.length - this.#splitAt)
    head.copy(out, 0, 0, headLength)
    out.write(revision, headLength, 'latin1')
    this.value.copy(out, headLength + revision.length, this.#splitAt)
    return out
  }
}
