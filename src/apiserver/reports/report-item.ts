import type { KubeObject } from '../../machinery/object.ts'
import { encodeObject } from '../cache/object-bytes.ts'
import { type StoredBytes, StoredObject } from '../cache/stored-object.ts'

/** A computed object in the form in which stored ones are listed and watched; its `resourceVersion` is its revision. */
export const reportItem = (key: string, object: KubeObject): StoredObject =>
  new StoredObject({ key, source: new ComputedBytes(object), revision: Number(object.metadata.resourceVersion), object })

/** The bytes of a computed object, made when they are read: many objects are made only to find that no selector matches them. */
class ComputedBytes implements StoredBytes {
  readonly #object: KubeObject
  #value: Buffer | undefined

  constructor(object: KubeObject) {
    this.#object = object
  }

  get value(): Buffer {
    this.#value ??= encodeObject(this.#object)
    return this.#value
  }

  get sizeBytes(): number {
    return this.value.byteLength
  }
}
