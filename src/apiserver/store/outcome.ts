import type { KubeObject } from '../../machinery/object.ts'
import type { StoredObject } from '../cache/stored-object.ts'

/** The result of a create or an update. */
export type Outcome =
  /** The stored object, in the storage version. */
  | { readonly kind: 'item'; readonly created: boolean; readonly item: StoredObject }
  /** Nothing is stored (a dry run, or an update that completed a deletion): the object in the version of the request. */
  | { readonly kind: 'object'; readonly created: boolean; readonly object: KubeObject }

/** The result of a delete. */
export interface Deleted {
  /** The object in its last state, in the storage version. */
  readonly object: KubeObject
  /** False: it is marked as being deleted, and waits for finalizers or a grace period. */
  readonly gone: boolean
}
