import { apiVersionOf, asJson, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import type { KindEntry } from '../../wire/overview.ts'

/** An object as people read it: with its kind, which items of lists lack, and without `managedFields`, which are shown as owners. */
export function shownObject(object: Readonly<KubeObject>, kind: KindEntry): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata
  return asJson({ ...object, apiVersion: object.apiVersion ?? apiVersionOf(kind), kind: kind.kind, metadata })
}

/** An object as it is edited: without what only the server counts, which changes with each write. */
export function editedObject(object: Readonly<KubeObject>, kind: KindEntry): JsonObject {
  const { resourceVersion: _, generation: __, ...metadata } = object.metadata
  return shownObject({ ...object, metadata }, kind)
}
