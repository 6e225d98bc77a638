import type { KubeObject } from '../../machinery/object.ts'
import { encodeObject } from '../cache/object-bytes.ts'
import { bytesOf, StoredObject } from '../cache/stored-object.ts'

/** A computed object in the form in which stored ones are listed and watched; its `resourceVersion` is its revision. */
export const reportItem = (key: string, object: KubeObject): StoredObject =>
  new StoredObject({ key, source: bytesOf(encodeObject(object)), revision: Number(object.metadata.resourceVersion), object })
