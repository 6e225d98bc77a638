import type { Revision } from '../../storage/store.ts'
import type { StoredObject } from './stored-object.ts'

/** One change of one object, as the cache keeps it. */
export interface CacheEvent {
  readonly revision: Revision
  readonly kind: 'put' | 'delete'
  /** The new state; for a deletion the last state, under the revision of the deletion. */
  readonly item: StoredObject
  readonly previous: StoredObject | undefined
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** An event as one view of the collection sees it. All watchers of the view share it; `frames` caches its bytes by format. */
export interface ViewEvent {
  readonly type: EventType
  readonly item: StoredObject
  readonly revision: Revision
  /** The state that MODIFIED replaces. */
  readonly previous?: StoredObject
}
