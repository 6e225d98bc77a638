import type { KubeObject } from '../../machinery/object.ts'
import type { StoredObject } from '../cache/stored-object.ts'

/** What became of a create or an update. */
export type Outcome =
  /** It is stored, in the storage version. */
  | { readonly kind: 'item'; readonly created: boolean; readonly item: StoredObject }
  /** Nothing stands there (a dry run; an update that let the object go): as it would be, in the version of the request. */
  | { readonly kind: 'object'; readonly created: boolean; readonly object: KubeObject }

/** What became of a delete. */
export interface Deleted {
  /** The object as it was last, in the storage version. */
  readonly object: KubeObject
  /** False: it is marked as being deleted, and something still holds it. */
  readonly gone: boolean
}
