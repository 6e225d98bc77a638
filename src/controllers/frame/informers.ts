import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'

/** Copies of collections, shared by all controllers of the process. */
export interface Informers {
  /** The informer of a collection; it is created on the first request. */
  of<T extends KubeObject>(ref: ResourceRef<T>): Informer<T>
  /** The informer of a collection, if one was made. */
  peek(ref: ResourceRef): Informer<KubeObject> | undefined
  /** Ends the informer of a collection that is not served any more. */
  drop(ref: ResourceRef): void
}
